import { expect, it } from 'vitest'
import { answering, saying as chatting, inTurn, never, sending } from '../support/chat-server.ts'
import { type Mind, minding, openMind } from '../support/dream-app.ts'
import { until } from '../support/processes.ts'
import type { Body } from '../support/record-requests.ts'
import { faithful, gather, sayings, statusesOf } from '../support/similar-records.ts'

const steps = ['cluster'] as const

/** Groups of which each is a question. */
async function withGroups(count: number, mind: Mind): Promise<Mind> {
  for (let nth = 0; nth < count; nth++) await gather(mind.app, sayings('Orion'), { scope: `scope ${nth}` })
  return mind
}

it('a model that fails three times in a row is left alone for the rest of the run', async () => {
  const { dream, takeQuestions } = await withGroups(5, await openMind(sending(422, {})))
  const { stats } = await dream(steps)
  expect(stats).toMatchObject({ model_calls: 3, cluster_candidates: 5, clusters_rejected: 0 })
  takeQuestions()
  expect((await dream(steps)).stats).toMatchObject({ model_calls: 3 })
})

it('one answer makes up for the failures before it', async () => {
  const [refusal, answer] = [sending(422, {}), minding(faithful)]
  // A server that refuses a schema is asked without it at once.
  const behaviour = inTurn(refusal, refusal, refusal, refusal, answer, refusal, refusal, answer)
  const { dream } = await withGroups(5, await openMind(behaviour))
  expect((await dream(steps)).stats).toMatchObject({ model_calls: 5, clusters_merged: 2 })
})

it('a key that is refused is tried once', async () => {
  const { dream } = await withGroups(3, await openMind(sending(403, {})))
  expect((await dream(steps)).stats).toMatchObject({ model_calls: 1, cluster_candidates: 3 })
})

it('what an answer costs is counted, whether it can be used or not', async () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 100 }
  const behaviour = inTurn(
    chatting('I cannot say.'),
    chatting('{"summary": 1}', usage),
    answering({ summary: '' }),
  )
  const { dream } = await withGroups(
    3,
    await openMind(behaviour, { MEMBRANE_LLM_PROMPT_PRICE: '2', MEMBRANE_LLM_COMPLETION_PRICE: '10' }),
  )
  const { stats } = await dream(steps)
  expect(stats).toMatchObject({ model_calls: 3, model_invalid_answers: 3, clusters_rejected: 3 })
  expect(stats.model_completion_tokens).toBe(105)
  expect(stats.model_prompt_tokens).toBeGreaterThan(1_270)
  expect(stats.model_cost_micros).toBe(2 * stats.model_prompt_tokens + 10 * 105)
})

it.each([
  ['tokens', { MEMBRANE_LLM_MAX_TOKENS_PER_RUN: '140' }],
  ['money', { MEMBRANE_LLM_MAX_COST_PER_RUN: '0.00014', MEMBRANE_LLM_PROMPT_PRICE: '1' }],
])('a run asks no more once its %s are spent, and the next goes on', async (_, variables) => {
  const { dream } = await withGroups(4, await openMind(minding(faithful), variables))
  const spent = await dream(steps)
  expect(spent.stats).toMatchObject({ model_calls: 2, clusters_merged: 2, cluster_candidates: 2 })
  expect((await dream(steps)).stats).toMatchObject({ clusters_merged: 2, cluster_candidates: 0 })
})

it('a run that is taken up again has spent what it had spent', async () => {
  const mind = await openMind(minding(faithful), { MEMBRANE_LLM_MAX_TOKENS_PER_RUN: '140' })
  const { model, ask, attend, readRun } = await withGroups(4, mind)
  const id = await ask(steps)
  const stopping = new AbortController()
  model.behave((response, seen) => {
    stopping.abort()
    return minding(faithful)(response, seen)
  })
  await attend(stopping.signal)
  expect(await readRun(id)).toMatchObject({ status: 'queued' })
  await attend()
  const { status, stats } = await readRun(id)
  expect(status).toBe('succeeded')
  expect(stats.model_calls).toBeLessThanOrEqual(2)
  expect(stats.model_prompt_tokens + stats.model_completion_tokens).toBeLessThan(225)
})

it('a run that is cancelled while a model thinks does not wait for it', async () => {
  const { app, model, ask, attend, readRun } = await withGroups(1, await openMind(never))
  const id = await ask(steps)
  const attending = attend()
  await until('the model to be asked', async () => model.requests.length > 0)
  await app.request('POST', `/v1/maintenance/runs/${id}/cancel`, { body: {} })
  const began = performance.now()
  await attending
  expect(performance.now() - began).toBeLessThan(10_000)
  expect(await readRun(id)).toMatchObject({ status: 'cancelled' })
})

it('no transaction waits for a model, and nobody waits for a record that it reads of', async () => {
  const { app, model, ask, attend, readRun } = await withGroups(1, await openMind())
  const { rows } = await app.database.pool.query<Body>('select id from records order by id limit 1')
  const waiting: Body[] = []
  model.behave(async (response, seen) => {
    const { rows: open } = await app.database.pool.query<Body>(
      `select state from pg_stat_activity where datname = current_database() and state like 'idle in%'`,
    )
    waiting.push(...open)
    const patched = await app.request('PATCH', `/v1/records/${rows[0]?.id}`, { body: { tags: ['moved'] } })
    waiting.push(...(patched.status === 200 ? [] : [patched.body as Body]))
    return minding(faithful)(response, seen)
  })
  const id = await ask(steps)
  await attend()
  expect(waiting).toEqual([])
  expect((await readRun(id)).stats).toMatchObject({ model_calls: 1, clusters_merged: 0 })
  expect(await statusesOf(app, [rows[0]?.id])).toEqual(['active'])
})
