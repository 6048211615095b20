import { expect, it } from 'vitest'
import { answerBySchema, type DreamApp, openDreamApp, shareDreamApp } from '../support/apps/dream-app.ts'
import {
  respondWithContent as chatting,
  neverRespond,
  respond,
  respondInTurn,
  respondWithJson,
} from '../support/models/chat-server.ts'
import { until } from '../support/processes/processes.ts'
import type { Body } from '../support/requests/record-requests.ts'
import {
  buildSimilarTexts,
  createSimilarRecords,
  readStatuses,
  summarizeByFirst,
} from '../support/stores/similar-records.ts'

const steps = ['cluster'] as const
const openApp = shareDreamApp()
const openFrugalApp = shareDreamApp({ MEMBRANE_LLM_MAX_TOKENS_PER_RUN: '140' })
const openCheapApp = shareDreamApp({
  MEMBRANE_LLM_MAX_COST_PER_RUN: '0.00014',
  MEMBRANE_LLM_PROMPT_PRICE: '1',
})

/** Creates groups, each of which needs one model call. */
async function createGroups(count: number, opened: DreamApp): Promise<DreamApp> {
  for (let nth = 0; nth < count; nth++)
    await createSimilarRecords(opened.app, buildSimilarTexts('Orion'), { scope: `scope ${nth}` })
  return opened
}

it('a run stops calling the model after three failures in a row', async () => {
  const { dream, takeModelRequests } = await createGroups(4, await openApp(respond(422, {})))
  const { stats } = await dream(steps)
  expect(stats).toMatchObject({ model_calls: 3, cluster_candidates: 4, clusters_rejected: 0 })
  takeModelRequests()
  expect((await dream(steps)).stats).toMatchObject({ model_calls: 3 })
})

it('one answer resets the count of failures', async () => {
  const refusal = respond(422, {})
  const answer = answerBySchema(summarizeByFirst)
  // After a refusal the request is repeated at once without a schema.
  const behaviour = respondInTurn(refusal, refusal, refusal, refusal, answer, refusal, refusal, answer)
  const { dream } = await createGroups(5, await openApp(behaviour))
  expect((await dream(steps)).stats).toMatchObject({ model_calls: 5, clusters_merged: 2 })
})

it('a run calls the model once when the key is refused', async () => {
  const { dream } = await createGroups(2, await openApp(respond(401, {})))
  expect((await dream(steps)).stats).toMatchObject({ model_calls: 1, cluster_candidates: 2 })
})

it('a run counts tokens and cost of every answer, usable or not', async () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100 }
  const behaviour = respondInTurn(
    chatting('I cannot say.'),
    chatting('{"summary": 1}', usage),
    respondWithJson({ summary: '' }),
  )
  const { dream } = await createGroups(
    3,
    await openDreamApp(behaviour, { MEMBRANE_LLM_PROMPT_PRICE: '2', MEMBRANE_LLM_COMPLETION_PRICE: '10' }),
  )
  const { stats } = await dream(steps)
  expect(stats).toMatchObject({ model_calls: 3, model_invalid_answers: 3, clusters_rejected: 3 })
  expect(stats.model_completion_tokens).toBe(110)
  expect(stats.model_prompt_tokens).toBe(1_140)
  expect(stats.model_cost_micros).toBe(2 * stats.model_prompt_tokens + 10 * 110)
})

it.each([
  ['tokens', openFrugalApp],
  ['money', openCheapApp],
])('a run stops calling the model when its %s are spent, and the next run continues', async (_, open) => {
  const { dream } = await createGroups(3, await open(answerBySchema(summarizeByFirst)))
  const spent = await dream(steps)
  expect(spent.stats).toMatchObject({ model_calls: 2, clusters_merged: 2, cluster_candidates: 1 })
  expect((await dream(steps)).stats).toMatchObject({ clusters_merged: 1, cluster_candidates: 0 })
})

it('a resumed run counts what it spent before', async () => {
  const opened = await openFrugalApp(answerBySchema(summarizeByFirst))
  const { model, requestRun, attend, readRun } = await createGroups(3, opened)
  const id = await requestRun(steps)
  const stopping = new AbortController()
  model.behave((response, seen) => {
    stopping.abort()
    return answerBySchema(summarizeByFirst)(response, seen)
  })
  await attend(stopping.signal)
  expect(await readRun(id)).toMatchObject({ status: 'queued' })
  await attend()
  const { status, stats } = await readRun(id)
  expect(status).toBe('succeeded')
  expect(stats.model_calls).toBeLessThanOrEqual(2)
  expect(stats.model_prompt_tokens + stats.model_completion_tokens).toBeLessThan(225)
})

it('a cancelled run does not wait for the model', async () => {
  const { app, model, requestRun, attend, readRun } = await createGroups(1, await openApp(neverRespond))
  const id = await requestRun(steps)
  const attending = attend()
  await until('the model to be asked', async () => model.requests.length > 0)
  await app.request('POST', `/v1/maintenance/runs/${id}/cancel`, { body: {} })
  const began = performance.now()
  await attending
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(await readRun(id)).toMatchObject({ status: 'cancelled' })
})

it('no transaction is open and no record is locked during a model call', async () => {
  const { app, model, requestRun, attend, readRun } = await createGroups(1, await openApp())
  const { rows } = await app.database.pool.query<Body>('select id from records order by id limit 1')
  const waiting: Body[] = []
  model.behave(async (response, seen) => {
    const { rows: open } = await app.database.pool.query<Body>(
      `select state from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
    )
    waiting.push(...open)
    const patched = await app.request('PATCH', `/v1/records/${rows[0]?.id}`, { body: { tags: ['moved'] } })
    waiting.push(...(patched.status === 200 ? [] : [patched.body as Body]))
    return answerBySchema(summarizeByFirst)(response, seen)
  })
  const id = await requestRun(steps)
  await attend()
  expect(waiting).toEqual([])
  expect((await readRun(id)).stats).toMatchObject({ model_calls: 1, clusters_merged: 0 })
  expect(await readStatuses(app, [rows[0]?.id])).toEqual(['active'])
})
