import { expect, it } from 'vitest'
import { respondWithJson, startChatServer } from '../support/models/chat-server.ts'
import {
  captureEpisode,
  consolidate,
  listRecords,
  omitDurations,
  zeroCounts,
} from '../support/requests/consolidation-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

it('consolidation with a model turns episodes into facts, a skill and a plan, once', async () => {
  const server = await startChatServer(
    respondWithJson({ facts: [{ subject: 'the pipeline', predicate: 'needs', object: 'a canary' }] }),
  )
  const variables = { MEMBRANE_LLM_ENDPOINT: server.url, MEMBRANE_LLM_MODEL: 'm' }
  const app = await startTestApp({ variables })
  const graph = (a: string, b: string, c: string) => ({
    outcome: undefined,
    tool_graph: [
      { id: a, tool: 'build', args: { token: 'hunter22' } },
      { id: b, tool: 'test', depends_on: [a] },
      { id: c, tool: 'push', depends_on: [b] },
    ],
  })
  const play = async (outcome: string, ...ids: [string, string, string]) => {
    app.clock.advance(1)
    const { id } = await captureEpisode(app, 'a release', graph(...ids))
    const body = { outcome, actor: 'desk', rationale: 'seen' }
    expect((await app.request('POST', `/v1/records/${id}/outcome`, { body })).status).toBe(200)
  }
  await play('success', 'a', 'b', 'c')
  await play('success', 'x', 'y', 'z')
  await play('failure', '1', '2', '3')
  app.clock.advance(25 * 3_600_000)
  expect(omitDurations(await consolidate(app))).toMatchObject({
    ...zeroCounts,
    episodic_compressed: 3,
    semantic_extracted: 1,
    semantic_triples_extracted: 1,
    competence_extracted: 1,
    plan_graphs_extracted: 1,
    duplicates_resolved: expect.any(Number),
  })
  const known = async (): Promise<Body[]> =>
    (
      await Promise.all(
        ['semantic', 'competence', 'plan_graph'].map((type) => listRecords(app, `type=${type}`)),
      )
    ).flat()
  const after = await known()
  expect(after).toHaveLength(4)
  expect(after.map(({ payload }) => payload.performance ?? payload.metrics)).toEqual([
    undefined,
    undefined,
    expect.objectContaining({ success_count: 2, failure_count: 1 }),
    expect.objectContaining({ execution_count: 3, failure_rate: 1 / 3 }),
  ])
  for (const _ of [1, 2, 3]) await consolidate(app)
  expect(await known()).toEqual(after)
  await play('success', 'd', 'e', 'f')
  await consolidate(app)
  const versions = (records: Body[]) => records.map(({ id, version }) => [id, version]).sort()
  expect(versions(await known())).toEqual(versions(after).map(([id, version]) => [id, version + 1]))
  await app.close()
  await server.close()
})

it('marks facts of two messages as disputed in a context, and not those of one', async () => {
  const server = await startChatServer()
  const app = await startTestApp({
    variables: { MEMBRANE_LLM_ENDPOINT: server.url, MEMBRANE_LLM_MODEL: 'm' },
  })
  const scope = 'cats'
  const learn = async (id: string, content: string, cats: string[]) => {
    app.clock.advance(86_400_000)
    server.behave(
      respondWithJson({
        facts: cats.map((object) => ({ subject: 'Ada', predicate: 'has_cat', object })),
      }),
    )
    const messages = [{ id, role: 'user', name: 'Ada', content }]
    await app.request('POST', '/v1/conversations/pets/messages', { body: { scope, messages } })
    await consolidate(app)
    const body = { task_descriptor: 'Which cats does Ada have?', scopes: [scope], memory_types: ['semantic'] }
    const { text } = (await app.request('POST', '/v1/context', { body })).body as Body
    return (text as string).match(/(?:\(disputed\) )?Ada has_cat \w+/g)?.sort()
  }
  expect(await learn('m1', 'Our cats are Tom and Ina.', ['Tom', 'Ina'])).toEqual([
    'Ada has_cat Ina',
    'Ada has_cat Tom',
  ])
  expect(await learn('m2', 'Sad news, we only have Uli now.', ['Uli'])).toEqual(
    ['Ina', 'Tom', 'Uli'].map((cat) => `(disputed) Ada has_cat ${cat}`),
  )
  await app.close()
  await server.close()
})
