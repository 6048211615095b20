import { afterAll, expect, it } from 'vitest'
import { purgeForgotten } from '../../../src/records/index.ts'
import { listBrokenLaws } from '../../support/checks/broken-laws.ts'
import { importFile } from '../../support/files/foreign-files.ts'
import { capture, captureFact, triple } from '../../support/requests/capture-requests.ts'
import { captureEpisode, consolidate, createScope } from '../../support/requests/consolidation-requests.ts'
import { entity } from '../../support/requests/entity-requests.ts'
import { apply, perform, plan } from '../../support/requests/plan-requests.ts'
import { type Body, create, expectProblem, fact } from '../../support/requests/record-requests.ts'
import { buildClaim } from '../../support/requests/revision-requests.ts'
import { startTestApp } from '../../support/test-app.ts'
import { listTablesWith } from '../../support/texts/find-word.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
afterAll(async () => {
  const broken = await listBrokenLaws(app)
  await app.close()
  expect(broken).toEqual([])
})

async function post(path: string, body: object): Promise<Body> {
  app.clock.advance(1_000)
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const answer = await app.request('POST', `/v1/${path}`, { body, headers })
  if (answer.status >= 300) throw new Error(answer.text)
  return answer.body
}
const from = (...ids: string[]) => ({
  provenance: { sources: ids.map((id) => ({ kind: 'event' as const, ref: `record:${id}` })) },
})
const say = (word: string, scope: string) =>
  captureEpisode(app, `Alice ${word} uses Postgres for ${word}`, { tool: `t-${word}` }, { scope })

/** Each stores a word in many places, and returns the ids of the records that say it. */
const stored: Record<string, (word: string, scope: string) => Promise<string[]>> = {
  'a record that was changed by every call': async (word, scope) => {
    const other = await create(app, buildClaim('Rust', { scope }))
    const { id } = await create(
      app,
      buildClaim(word, {
        scope,
        tags: [`t-${word}`],
        provenance: { sources: [{ kind: 'artifact', ref: `file:${word}`, hash: word }], created_by: word },
        relations: [{ predicate: `likes ${word}`, target_id: other.id }],
      }),
    )
    const reason = { actor: 'ada', rationale: `because of ${word}` }
    for (const call of ['pin', 'unpin', 'reinforce', 'contest', 'uncontest', 'retract'])
      await post(`records/${id}/${call}`, {
        ...reason,
        ...(call === 'contest' ? { contesting_ref: word } : {}),
      })
    return [id]
  },
  'a capture with an outcome': async (word, scope) => {
    const content = { event_kind: 'deploy', text: `We deployed ${word} to the servers`, tool: word }
    const more = { summary: `deploy of ${word}`, scope, tags: [word], conversation: { id: `c-${word}` } }
    const { primary_record: episode } = await capture(app, content, more)
    await post(`records/${episode.id}/outcome`, {
      outcome: 'failure',
      actor: 'ada',
      rationale: `${word} fell`,
    })
    return [episode.id]
  },
  'a captured fact that another replaced': async (word, scope) => {
    const { primary_record: episode } = await captureFact(app, triple(word), { scope })
    await captureFact(app, triple('Windows'), { scope })
    return [episode.id]
  },
  'a captured fact that replaced another': async (word, scope) => {
    await captureFact(app, triple('Windows'), { scope })
    return [(await captureFact(app, triple(word), { scope })).primary_record.id]
  },
  'consolidated episodes': async (word, scope) => {
    const episodes = [await say(word, scope), await say(word, scope)]
    await consolidate(app, { scope })
    return episodes.map(({ id }) => id)
  },
  'a plan': async (word, scope) => {
    const { id } = await say(word, scope)
    await plan(app, 'consolidate', { scope })
    return [id]
  },
  'a plan that was applied and undone': async (word, scope) => {
    const { id } = await say(word, scope)
    const run = await apply(app, await plan(app, 'consolidate', { scope }))
    await perform(
      app,
      'undo',
      { actor: 'ada', rationale: 'too early' },
      `/v1/maintenance/runs/${run.id}/undo`,
    )
    return [id]
  },
  'a conversation': async (word, scope) => {
    const messages = [
      { role: 'user', name: word, content: `Call me ${word}, my dear old friend.`, id: word },
      { role: 'assistant', content: `With pleasure, my dear ${word}.`, metadata: { word } },
    ]
    const { items } = await post(`conversations/c-${word}/messages`, { scope, messages })
    return items.map(({ record_id: id }: Body) => id)
  },
  'a note that was confirmed': async (word, scope) => {
    const { id } = await post('remember', { text: `Linda ${word} likes tea.`, scope })
    await post('remember', { text: `linda ${word} likes tea`, scope })
    return [id]
  },
  'an imported item': async (word, scope) => {
    const file = JSON.stringify([{ id: word, memory: `likes ${word}`, user_id: word, categories: [word] }])
    const { reports } = await importFile(app, file, { query: `?scope=${encodeURIComponent(scope)}` })
    return reports.map(({ id }) => id)
  },
  'an entity that a fact is about': async (word, scope) => {
    const known = { aliases: [{ value: `O ${word}` }], identifiers: [{ namespace: word, value: word }] }
    const { id } = await create(app, entity(`Orion ${word}`, { ...known, summary: word }, { scope }))
    await create(app, fact({ scope, relations: [{ predicate: 'subject_entity', target_id: id }] }))
    return [id]
  },
}

let count = 0
const createWord = () => `xylo${++count}brand`
const erase = (id: string) =>
  app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'desk', rationale: 'asked' } })

it.each(Object.keys(stored))('an erase leaves no word of %s', async (name) => {
  const word = createWord()
  const ids = (await stored[name]?.(word, createScope())) ?? []
  expect(await listTablesWith(app.db, word)).toContain('contents')
  const statuses = []
  for (const id of ids) statuses.push((await erase(id)).status)
  expect(statuses).toContain(200)
  expect(await listTablesWith(app.db, word)).toEqual([])
})

it('an erase removes the words from the logs of purged records, and erases what was made from these', async () => {
  const [word, scope] = [createWord(), createScope()]
  const root = await create(app, buildClaim('Go', { scope }))
  const other = await create(app, buildClaim('Ada', { scope }))
  const made = [
    await create(app, fact({ scope, ...from(root.id) })),
    await create(app, fact({ scope, ...from(root.id, other.id) })),
  ]
  const last = await create(app, fact({ scope, ...from(made[0].id) }))
  await app.request('PATCH', `/v1/records/${made[0].id}`, { body: { tags: [word] } })
  for (const { id } of made) await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=old`)
  app.clock.advance(31 * 86_400_000)
  await purgeForgotten(app.db, app.clock.now(), 1_000)
  expect(await listTablesWith(app.db, word)).toEqual(['audit_entries'])
  expect((await erase(root.id)).body).toMatchObject({
    derived_ids: [last.id],
    kept: [],
    removed: { records: 2 },
  })
  const read = async ({ id }: Body) => app.request('GET', `/v1/records/${id}`)
  expectProblem(await read(made[0]), 410, 'record_erased')
  expectProblem(await read(made[1]), 410, 'record_purged')
  expectProblem(await read(last), 410, 'record_erased')
  expect(await listTablesWith(app.db, word)).toEqual([])
})
