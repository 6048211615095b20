import { afterAll, describe, expect, it } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { range } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  createScope,
  listFacts,
  listRunChanges,
} from '../support/requests/consolidation-requests.ts'
import { apply, perform, plan } from '../support/requests/plan-requests.ts'
import { type Body, expectProblem } from '../support/requests/record-requests.ts'
import { work as workInSmallBatches } from '../support/stores/twin-scopes.ts'
import { startTestApp } from '../support/test-app.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

const app = await startTestApp()
afterAll(() => app.close())

const reason = { actor: 'operator', rationale: 'it was too early' }

const run = (job: string, more: object = {}, work?: typeof workInSmallBatches) =>
  perform(app, job, { job, ...more }, undefined, work)
const undo = ({ id }: Body, more: object = {}) =>
  perform(app, 'undo', { ...reason, ...more }, `/v1/maintenance/runs/${id}/undo`)
const read = async (id: string) => (await app.request('GET', `/v1/records/${id}`)).body as Body

const listActive = async (scope: string) =>
  (await listFacts(app, scope)).filter(({ status }) => status === 'active')

async function learn(count: number) {
  const scope = createScope()
  await Promise.all(
    range(count).map((n) => captureEpisode(app, `the build takes ${n} minutes`, {}, { scope })),
  )
  return { scope, learnt: await run('consolidate', { scope }), facts: await listActive(scope) }
}

describe('undo of a consolidation', () => {
  it('retracts what was created, and says who took it back and why', async () => {
    const { scope, learnt, facts } = await learn(3)
    const undone = await undo(learnt)
    expect(undone).toMatchObject({
      job: 'undo',
      status: 'succeeded',
      options: { run_id: learnt.id },
      stats: { undone: 3, kept: 0 },
    })
    const after = await listActive(scope)
    expect(after).toEqual([])
    const one = await read(facts[0]?.id)
    expect(one).toMatchObject({ status: 'invalidated', payload: { revision: { status: 'retracted' } } })
    expect(one.audit_log.at(-1)).toMatchObject({ action: 'undo', ...reason, run_id: undone.id })
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('retracts records too whose surprise was judged since', async () => {
    const { learnt, facts } = await learn(3)
    await createEmbeddingWorker(app).run()
    const judged = await Promise.all(facts.map(({ id }) => read(id)))
    expect(judged.map(({ base_importance }) => base_importance)).not.toEqual(
      facts.map(({ base_importance }) => base_importance),
    )
    expect((await undo(learnt)).stats).toMatchObject({ undone: 3, kept: 0 })
  })

  it('retracts a fact that a later batch of the run confirmed', async () => {
    const scope = createScope()
    for (const _ of range(5)) await captureEpisode(app, 'the build takes 9 minutes', {}, { scope })
    const learnt = await run('consolidate', { scope }, workInSmallBatches)
    const [fact, ...others] = await listActive(scope)
    expect([(await read(fact?.id)).payload.evidence.length, others]).toEqual([5, []])
    expect((await undo(learnt)).stats).toMatchObject({ kept: 0 })
    expect(await listActive(scope)).toEqual([])
  })

  it('keeps what was built on since', async () => {
    const { scope, learnt, facts } = await learn(2)
    await app.request('PATCH', `/v1/records/${facts[0]?.id}`, { body: { tags: ['mine'] } })
    const undone = await undo(learnt)
    expect(undone.stats).toMatchObject({ undone: 1, kept: 1 })
    const kept = (await listRunChanges(app, undone)).filter(({ action }) => action === 'kept')
    expect(kept).toEqual([{ record_id: facts[0]?.id, action: 'kept', note: expect.any(String) }])
    expect((await listActive(scope)).map(({ id }) => id)).toEqual([facts[0]?.id])
  })

  it('can be undone itself, and a second undo finds nothing', async () => {
    const { scope, learnt, facts } = await learn(2)
    const first = await undo(learnt)
    const second = await undo(learnt)
    expect(second).toMatchObject({ stats: { undone: 0, kept: 2 }, progress: { done: 2, total: 2 } })
    expect((await listRunChanges(app, second)).map(({ note }) => note)).toEqual(
      range(2).map(() => 'it was taken back already'),
    )
    expect((await undo(second)).stats).toMatchObject({ undone: 0, kept: 0 })
    const again = await undo(first)
    expect(again.stats).toMatchObject({ undone: 2, kept: 0 })
    const back = await listActive(scope)
    expect(back.map(({ id }) => id).sort()).toEqual(facts.map(({ id }) => id).sort())
    expect(
      back.every(({ status, payload }) => status === 'active' && payload.revision?.status !== 'retracted'),
    ).toBe(true)
  })

  it('takes back only what is named', async () => {
    const { scope, learnt, facts } = await learn(3)
    expect((await undo(learnt, { only: [facts[1]?.id] })).stats).toMatchObject({ undone: 1, kept: 0 })
    expect(await listActive(scope)).toHaveLength(2)
    expect((await undo(learnt, { only: ['create'] })).stats).toMatchObject({ undone: 2 })
  })

  it('changes nothing in a dry run', async () => {
    const { scope, learnt, facts } = await learn(2)
    expect((await undo(learnt, { dry_run: true })).stats).toMatchObject({ undone: 2, kept: 0 })
    expect(await listActive(scope)).toEqual(facts)
  })
})

describe('undo of other jobs', () => {
  it('restores what a decay run forgot, with the life that it had', async () => {
    const scope = createScope()
    const body = {
      type: 'semantic',
      scope,
      created_at: '2020-01-01T00:00:00Z',
      lifecycle: { decay: { curve: 'linear', half_life_seconds: 3_600, min_salience: 0 } },
      payload: {
        kind: 'semantic',
        subject: 'cache',
        predicate: 'expires',
        object: 'daily',
        validity: { mode: 'global' },
        evidence: [],
      },
      provenance: {
        sources: [{ kind: 'event', ref: 'e1', timestamp: '2020-01-01T00:00:00Z' }],
        created_by: 'test',
      },
    }
    const { id } = (await app.request('POST', '/v1/records', { body })).body as Body
    const before = await read(id)
    app.clock.advance(86_400_000)
    const swept = await run('decay', { scope })
    expect(swept.stats.pruned).toBe(1)
    expect((await app.request('GET', `/v1/records/${id}`)).status).toBe(410)
    expect((await undo(swept)).stats).toMatchObject({ undone: 1, kept: 0 })
    const after = await read(id)
    expect(after.lifecycle).toEqual(before.lifecycle)
    expect(after.version).toBe(before.version + 1)
    const again = await undo(swept, { dry_run: true })
    expect(again).toMatchObject({ stats: { undone: 0, kept: 1 }, progress: { done: 1, total: 1 } })
    expect(await listRunChanges(app, again)).toEqual([
      { record_id: id, action: 'kept', note: 'it was taken back already' },
    ])
    expect((await undo(await undo(swept))).stats).toMatchObject({ undone: 0, kept: 0 })
  })

  it('moves the importance back', async () => {
    const scope = createScope()
    const { id } = await captureEpisode(app, 'the office moves in May', {}, { scope })
    await app.db.updateTable('records').set({ importance: 0.9 }).where('id', '=', id).execute()
    const refreshed = await run('refresh_importance', { scope })
    expect(refreshed.stats.refreshed).toBe(1)
    await undo(refreshed)
    expect((await read(id)).importance).toBe(0.9)
  })

  it('moves the importance back after a dream that was applied as a plan', async () => {
    const scope = createScope()
    const { id } = await captureEpisode(app, 'the office moves in June', {}, { scope })
    await app.db.updateTable('records').set({ importance: 0.9 }).where('id', '=', id).execute()
    const dreamt = await apply(app, await plan(app, 'dream', { scope }))
    const after = (await read(id)).importance
    expect(after).not.toBe(0.9)
    const undone = await undo(dreamt)
    expect(undone.stats).toMatchObject({ undone: 1, kept: 0 })
    expect((await read(id)).importance).toBe(0.9)
    await undo(undone)
    expect((await read(id)).importance).toBe(after)
  })
})

describe('a run that cannot be undone', () => {
  it('is refused with the reason', async () => {
    const refuse = async ({ id }: Body) => {
      const answer = await app.request('POST', `/v1/maintenance/runs/${id}/undo`, { body: reason })
      expectProblem(answer, 409, 'not_undoable')
      return (answer.body as Body).detail
    }
    expect(await refuse(await run('purge'))).toContain('gone')
    expect(await refuse(await run('consolidate', { dry_run: true }))).toContain('dry run')
    const { body } = await app.request('POST', '/v1/maintenance/runs', { body: { job: 'decay' } })
    expect(await refuse(body as Body)).toContain('not ended')
  })
})
