import { beforeEach, describe, expect, it } from 'vitest'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { range } from '../support/requests/capture-requests.ts'
import { captureEpisode, listFacts, listRunChanges } from '../support/requests/consolidation-requests.ts'
import { apply, listPlanChanges, perform, plan } from '../support/requests/plan-requests.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { failOnRow, stopFailing } from '../support/stores/failing-row.ts'
import type { TestApp } from '../support/test-app.ts'

/** An undo and the application of a plan leave a record that fails alone, and make all other changes. */

const openApp = shareTestApp()
let app: TestApp
beforeEach(async () => {
  app = await openApp()
})

const day = 86_400_000
const scope = 'here'
const brief = { scope, lifecycle: { decay: { curve: 'linear', half_life_seconds: 3_600 } } }

const run = (job: string) => perform(app, job, { job, scope })
const undo = ({ id }: Body, more: object = {}) =>
  perform(app, 'undo', { actor: 'ada', rationale: 'too early', ...more }, `/v1/maintenance/runs/${id}/undo`)
const listActive = async () => {
  const facts = await listFacts(app, scope)
  return facts.flatMap(({ id, status }) => (status === 'active' ? (id as string) : [])).sort()
}
const listIds = async (ran: Body, only: string) =>
  (await listRunChanges(app, ran)).flatMap(({ record_id: id, action }) => (action === only ? id : []))

async function captureEpisodes(count: number): Promise<void> {
  for (const n of range(count)) await captureEpisode(app, `the build takes ${n} minutes`, {}, { scope })
}

/** Creates facts that have faded away when it returns. */
async function createFaded(count: number): Promise<string[]> {
  const ids: string[] = []
  for (const _ of range(count)) ids.push((await create(app, fact(brief))).id)
  app.clock.advance(day)
  return ids.sort()
}

describe('an undo', () => {
  it('takes back all other records that a consolidation created, and later this one', async () => {
    await captureEpisodes(5)
    const learnt = await run('consolidate')
    const facts = await listActive()
    const [, failing = ''] = facts
    await failOnRow(app, { table: 'records', event: 'update', id: failing })
    expect((await undo(learnt, { dry_run: true })).stats).toMatchObject({ undone: 4, kept: 0, failed: 1 })
    const undone = await undo(learnt)
    expect(undone).toMatchObject({
      status: 'succeeded',
      error: 'undo: database error P0001',
      stats: { undone: 4, kept: 0, failed: 1 },
    })
    expect(await listIds(undone, 'failed')).toEqual([failing])
    expect(await listActive()).toEqual([failing])
    expect(await listBrokenLaws(app)).toEqual([])
    await stopFailing(app, 'records')
    expect((await undo(learnt)).stats).toMatchObject({ undone: 1, kept: 4 })
    expect(await listActive()).toEqual([])
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('restores all other records that a decay forgot, and later this one', async () => {
    const ids = await createFaded(5)
    const [, failing = ''] = ids
    const swept = await run('decay')
    await failOnRow(app, { table: 'records', event: 'update', id: failing })
    const undone = await undo(swept)
    expect(undone).toMatchObject({ status: 'succeeded', stats: { undone: 4, kept: 0, failed: 1 } })
    expect(await listIds(undone, 'failed')).toEqual([failing])
    await stopFailing(app, 'records')
    const restored = await undo(swept)
    expect(restored.stats).toMatchObject({ undone: 1, kept: 4 })
    expect(await listActive()).toEqual(ids)
    expect(await listBrokenLaws(app)).toEqual([])
    await failOnRow(app, { table: 'records', event: 'update', id: ids[0] ?? '' })
    expect((await undo(undone)).stats).toMatchObject({ undone: 3, kept: 0, failed: 1 })
    expect(await listActive()).toEqual([ids[0], failing])
  })

  it('moves the importance of all other records back, and later of this one', async () => {
    const ids = await createFaded(5)
    const [, failing = ''] = ids
    await app.db.updateTable('records').set({ importance: 0.9 }).execute()
    const refreshed = await run('refresh_importance')
    await failOnRow(app, { table: 'records', event: 'update', id: failing })
    const undone = await undo(refreshed)
    expect(undone).toMatchObject({ status: 'succeeded', stats: { undone: 4, failed: 1 } })
    expect(await listIds(undone, 'failed')).toEqual([failing])
    await stopFailing(app, 'records')
    expect((await undo(refreshed)).stats).toMatchObject({ undone: 1 })
    const rows = await app.db.selectFrom('records').select('importance').distinct().execute()
    expect(rows).toEqual([{ importance: 0.9 }])
  })
})

describe('the application of a plan', () => {
  it('creates all other records', async () => {
    await captureEpisodes(5)
    const prepared = await plan(app, 'consolidate', { scope })
    const changes = await listPlanChanges(app, prepared)
    const created = changes.flatMap(({ record_id: id, action }) => (action === 'create' ? id : [])).sort()
    const [, failing = ''] = created
    await failOnRow(app, { table: 'records', event: 'insert', id: failing })
    const applied = await apply(app, prepared)
    expect(applied).toMatchObject({
      status: 'succeeded',
      error: 'plan: database error P0001',
      stats: { failed: 1 },
    })
    expect(await listIds(applied, 'failed')).toEqual([failing])
    expect(await listActive()).toEqual(created.filter((id) => id !== failing))
    expect(await listBrokenLaws(app)).toEqual([])
    await stopFailing(app, 'records')
    expect(await apply(app, prepared)).toMatchObject({ status: 'succeeded', stats: { skipped: 0 } })
    expect(await listActive()).toEqual(created)
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('forgets all other records', async () => {
    const ids = await createFaded(5)
    const [, failing = ''] = ids
    const prepared = await plan(app, 'decay', { scope })
    await failOnRow(app, { table: 'records', event: 'update', id: failing })
    const applied = await apply(app, prepared)
    expect(applied).toMatchObject({ status: 'succeeded', stats: { applied: 4, skipped: 0, failed: 1 } })
    expect(await listIds(applied, 'failed')).toEqual([failing])
    expect(await listActive()).toEqual([failing])
    await stopFailing(app, 'records')
    expect((await apply(app, prepared)).stats).toEqual({ applied: 1, skipped: 0 })
    expect(await listActive()).toEqual([])
  })

  it('purges all other records', async () => {
    const ids = await createFaded(5)
    const [, failing = ''] = ids
    await run('decay')
    app.clock.advance(31 * day)
    const prepared = await plan(app, 'purge')
    await failOnRow(app, { table: 'records', event: 'delete', id: failing })
    const applied = await apply(app, prepared)
    expect(applied).toMatchObject({ status: 'succeeded', stats: { applied: 4, skipped: 0, failed: 1 } })
    expect(await listIds(applied, 'failed')).toEqual([failing])
    expect(await app.db.selectFrom('records').select('id').execute()).toEqual([{ id: failing }])
    await stopFailing(app, 'records')
    expect((await apply(app, prepared)).stats).toEqual({ applied: 1, skipped: 0 })
    expect(await app.db.selectFrom('records').select('id').execute()).toEqual([])
  })
})
