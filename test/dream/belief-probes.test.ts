import { expect, it } from 'vitest'
import {
  answerBySchema,
  createEntityWithFacts,
  createFactAbout,
  parsePromptDocument,
  readDreamTables,
  shareDreamApp,
} from '../support/apps/dream-app.ts'
import { perform } from '../support/requests/plan-requests.ts'
import { type Body, create, fact, payloads, read } from '../support/requests/record-requests.ts'
import type { TestApp } from '../support/test-app.ts'

const steps = ['probe'] as const
const openApp = shareDreamApp()
const day = 86_400_000
const judging = (still_valid: boolean) =>
  answerBySchema({ judgement: { still_valid, confidence: 0.9, reason: 'it moved to Rust' } })

/** Opens an app with a belief that was not used for a month. */
async function openAppWithOldBelief(behaviour = judging(false), more: object = {}) {
  const mind = await openApp(behaviour)
  const belief = await create(mind.app, fact({ base_importance: 0.8, ...more }))
  mind.app.clock.advance(30 * day)
  return { ...mind, id: belief.id as string }
}

const review = (app: TestApp, id: string) =>
  app.request('POST', `/v1/records/${id}/status`, {
    body: { status: 'active', reason: 'it holds', actor: 'ada' },
  })

it('the step probe challenges a belief that the model is sure is outdated, and lowers its importance', async () => {
  const { app, id, dream, listRunChanges, takeModelRequests } = await openAppWithOldBelief()
  const importance = (await read(app, id)).importance
  const run = await dream(steps)
  expect(run.stats).toMatchObject({ beliefs_probed: 1, beliefs_challenged: 1, model_calls: 1 })
  expect(takeModelRequests().map(parsePromptDocument)).toMatchObject([
    { belief: { says: 'user prefers Go' } },
  ])
  const doubted = await read(app, id)
  expect(doubted).toMatchObject({ status: 'challenged', base_importance: expect.closeTo(0.56), version: 2 })
  expect(doubted.importance).toBeLessThan(importance)
  expect(doubted.audit_log.at(-1)).toMatchObject({
    action: 'status',
    actor: 'dream/probe',
    rationale: 'doubted by a model: it moved to Rust',
    changes: { status: ['active', 'challenged'], base_importance: [0.8, expect.closeTo(0.56)] },
  })
  const { body: history } = await app.request('GET', `/v1/records/${id}/status-history`)
  expect((history as Body).items).toMatchObject([{ old: 'active', new: 'challenged', step: 'probe' }])
  const changes = await listRunChanges(run)
  expect(changes).toMatchObject([{ record_id: id, action: 'probe_challenge' }])
  expect(JSON.stringify(changes)).not.toContain('Rust')
})

it('the step probe challenges a belief only once until it is reviewed', async () => {
  const { app, id, dream } = await openAppWithOldBelief()
  await dream(steps)
  const before = await readDreamTables(app)
  expect((await dream(steps)).stats).toMatchObject({ beliefs_probed: 0, model_calls: 0 })
  expect(await readDreamTables(app)).toEqual(before)
  app.clock.advance(1_000)
  await review(app, id)
  expect((await dream(steps)).stats).toMatchObject({ beliefs_challenged: 1 })
  expect((await read(app, id)).base_importance).toBeCloseTo(0.8 * 0.49)
})

it('the step probe leaves a belief alone for a month after any answer but a sure no', async () => {
  const answers = {
    'it still holds': { still_valid: true, confidence: 0.9, reason: 'r' },
    'the model is not sure': { still_valid: false, confidence: 0.59, reason: 'r' },
    'the judgement is none': { still_valid: 'no', confidence: 0.9, reason: 'r' },
    'the confidence is none': { still_valid: false, confidence: '0.9', reason: 'r' },
    'the confidence is beyond measure': { still_valid: false, confidence: 7, reason: 'r' },
    'there is no answer in it': undefined,
  }
  const judgement = ({ belief }: Body) =>
    Object.entries(answers).find(([object]) => belief.says.endsWith(object))?.[1]
  const { app, dream } = await openApp(answerBySchema({ judgement }))
  const created: Body[] = []
  for (const object of Object.keys(answers)) {
    created.push(await create(app, fact({ payload: { ...payloads.semantic, object } })))
    app.clock.advance(1_000)
  }
  app.clock.advance(30 * day)
  expect((await dream(steps)).stats).toMatchObject({ beliefs_probed: 5, beliefs_challenged: 0 })
  expect((await dream(steps)).stats).toMatchObject({ beliefs_probed: 1, beliefs_challenged: 0 })
  expect((await dream(steps)).stats).toMatchObject({ beliefs_probed: 0, model_calls: 0 })
  for (const { id, base_importance } of created)
    expect(await read(app, id)).toMatchObject({ version: 1, status: 'active', base_importance })
  app.clock.advance(27.5 * day)
  expect((await dream(steps)).stats).toMatchObject({ beliefs_probed: 5 })
  expect((await dream(steps)).stats).toMatchObject({ beliefs_probed: 1 })
})

it('the step probe ignores everything else in the model answer', async () => {
  const greedy = {
    still_valid: false,
    confidence: 1,
    reason: 'x\0y',
    status: 'invalidated',
    base_importance: 0,
  }
  const { app, id, dream } = await openAppWithOldBelief(answerBySchema({ judgement: greedy }))
  await dream(steps)
  expect(await read(app, id)).toMatchObject({
    status: 'challenged',
    base_importance: expect.closeTo(0.56),
    payload: payloads.semantic,
    audit_log: [{}, { rationale: 'doubted by a model' }],
  })
})

it('the step probe skips what is pinned, a profile, too sensitive for the model, no belief or an episode', async () => {
  const { app, dream } = await openApp(judging(false))
  const others = [
    { lifecycle: { pinned: true } },
    { tags: ['peer-card'] },
    { sensitivity: 'high' },
    { type: 'entity', payload: payloads.entity },
    { type: 'episodic', payload: payloads.episodic },
  ]
  for (const more of others) await create(app, fact(more))
  app.clock.advance(30 * day)
  const before = await readDreamTables(app)
  expect((await dream(steps)).stats).toMatchObject({ beliefs_probed: 0, model_calls: 0 })
  expect(await readDreamTables(app)).toEqual(before)
})

it('the step probe skips a belief that was used recently', async () => {
  const { app, id, dream } = await openAppWithOldBelief()
  await app.request('POST', `/v1/records/${id}/access`, { body: {} })
  app.clock.advance(12 * day)
  expect((await dream(steps)).stats).toMatchObject({ beliefs_probed: 0 })
  app.clock.advance(2 * day)
  expect((await dream(steps)).stats).toMatchObject({ beliefs_probed: 1 })
})

it('the step probe asks about five beliefs in a run, those never asked about first', async () => {
  const { app, dream, takeModelRequests } = await openApp(judging(true))
  for (let n = 0; n < 7; n++) {
    app.clock.advance(1_000)
    await create(app, fact({ payload: { ...payloads.semantic, object: `thing ${n}` } }))
  }
  app.clock.advance(30 * day)
  const questions: string[][] = []
  for (let night = 0; night < 3; night++) {
    await dream(steps)
    questions.push(
      takeModelRequests().map((seen) =>
        parsePromptDocument(seen).belief.says.replace('user prefers thing ', ''),
      ),
    )
  }
  expect(questions).toEqual([['0', '1', '2', '3', '4'], ['5', '6'], []])
})

it('the step probe shows the model newer related records that every reader of the belief may see', async () => {
  const { app, dream, takeModelRequests } = await openApp(judging(true))
  const orion = await createEntityWithFacts(app, 'Orion', ['old thing'])
  app.clock.advance(30 * day)
  await createFactAbout(app, orion.id, 'newer thing')
  await createFactAbout(app, orion.id, 'secret thing', { sensitivity: 'medium' })
  await createFactAbout(app, orion.id, 'thing of others', { scope: 'team' })
  await dream(steps)
  expect(takeModelRequests().map(parsePromptDocument)).toMatchObject([
    { belief: { says: 'team noted old thing' }, newer_records: [{ says: 'team noted newer thing' }] },
  ])
})

it.each(['pin', 'patch'] as const)(
  'the step probe does not change a belief that a client changes by %s during the model call',
  async (how) => {
    const { app, id, model, dream } = await openAppWithOldBelief()
    model.behave(async (response, seen) => {
      const body = { actor: 'a', rationale: 'r' }
      if (how === 'pin') await app.request('POST', `/v1/records/${id}/pin`, { body })
      else await app.request('PATCH', `/v1/records/${id}`, { body: { tags: ['mine'] } })
      await judging(false)(response, seen)
    })
    expect((await dream(steps)).stats).toMatchObject({ beliefs_challenged: 0, beliefs_outdated: 1 })
    expect((await read(app, id)).status).toBe('active')
  },
)

it('the step probe asks again in the next run when the model was unavailable', async () => {
  const { app, id, model, dream } = await openAppWithOldBelief()
  model.behave((response) => void response.writeHead(401).end())
  expect((await dream(steps)).stats).toMatchObject({ beliefs_probed: 0, beliefs_challenged: 0 })
  model.behave(judging(false))
  expect((await dream(steps)).stats).toMatchObject({ beliefs_challenged: 1 })
  expect((await read(app, id)).status).toBe('challenged')
})

it('the step probe writes nothing in a dry run that asks the model', async () => {
  const { app, dream } = await openAppWithOldBelief()
  const before = await readDreamTables(app)
  const run = await dream(steps, { dry_run: true, options: { ask_model: true } })
  expect(run.stats).toMatchObject({ beliefs_challenged: 1 })
  expect(await readDreamTables(app)).toEqual(before)
})

it('the undo of a challenge keeps the importance of the uses since', async () => {
  const { app, id, dream } = await openAppWithOldBelief(judging(false), { source_type: 'auto_extracted' })
  const { id: run } = await dream(steps)
  for (let n = 0; n < 8; n++) await app.request('POST', `/v1/records/${id}/access`, { body: {} })
  await perform(app, 'undo', { actor: 'ada', rationale: 'it holds' }, `/v1/maintenance/runs/${run}/undo`)
  const undone = await read(app, id)
  expect(undone).toMatchObject({ status: 'active', base_importance: 0.8 })
  const { body: why } = await app.request('GET', `/v1/records/${id}/explain`)
  expect(undone.importance).toBeCloseTo((why as Body).importance.value, 6)
})
