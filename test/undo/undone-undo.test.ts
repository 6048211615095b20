import { afterAll, describe, expect, it } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { range } from '../support/requests/capture-requests.ts'
import { createScope, listRunChanges } from '../support/requests/consolidation-requests.ts'
import { perform } from '../support/requests/plan-requests.ts'
import { type Body, create, fact, payloads, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests' } })
afterAll(async () => {
  const broken = await listBrokenLaws(app)
  await app.close()
  expect(broken).toEqual([])
})

const reason = { actor: 'operator', rationale: 'to compare' }
const undo = ({ id }: Body, more: object = {}) =>
  perform(app, 'undo', { ...reason, ...more }, `/v1/maintenance/runs/${id}/undo`)
const statusOf = async (id: string) => (await app.request('GET', `/v1/records/${id}`)).status
const readStatuses = (ids: readonly string[]) => Promise.all(ids.map(statusOf))

const faded = (scope: string, object: string) =>
  fact({
    scope,
    created_at: '2020-01-01T00:00:00Z',
    payload: { ...payloads.semantic, object },
    lifecycle: { decay: { curve: 'linear', half_life_seconds: 3_600, min_salience: 0 } },
  })

/** Facts that a run of the decay forgot, and whose undo restored them. */
async function restoreFacts() {
  const scope = createScope()
  const created = await Promise.all(range(3).map((n) => create(app, faded(scope, `fact ${n}`))))
  app.clock.advance(86_400_000)
  const swept = await perform(app, 'decay', { job: 'decay', scope })
  const [first, second, third] = created.map(({ id }) => id as string) as [string, string, string]
  return { scope, ids: [first, second, third] as const, swept, undone: await undo(swept) }
}

describe('undo of the undo of a decay', () => {
  it('forgets the records again as the run did, and its own undo restores them', async () => {
    const { ids, swept, undone } = await restoreFacts()
    const again = await undo(undone)
    expect(again.stats).toMatchObject({ undone: 3, kept: 0 })
    expect(await readStatuses(ids)).toEqual([410, 410, 410])
    const rows = await app.db
      .selectFrom('records')
      .where('id', 'in', ids)
      .select(['forgotten_reason', 'forgotten_by', 'forgotten_run_id'])
      .execute()
    const by = { forgotten_reason: 'pruned', forgotten_by: 'decay-service', forgotten_run_id: swept.id }
    expect(rows).toEqual([by, by, by])
    expect((await undo(again)).stats).toMatchObject({ undone: 3, kept: 0 })
    const log = (await read(app, ids[0])).audit_log
    const [forgotten, restored] = log.slice(-2)
    const { forgotten_at: times, forgotten_reason: reasons } = forgotten.changes
    expect([times[0], reasons]).toEqual([null, [null, 'pruned']])
    expect(restored).toMatchObject({
      action: 'undo',
      ...reason,
      changes: { forgotten_at: [times[1], null], forgotten_reason: ['pruned', null] },
    })
  })

  it('leaves what moved since as it is, and forgets the others', async () => {
    const { ids, undone } = await restoreFacts()
    await app.request('POST', `/v1/records/${ids[1]}/pin`, { body: reason })
    const tried = await undo(undone, { dry_run: true })
    const again = await undo(undone)
    for (const one of [tried, again]) {
      expect(one).toMatchObject({ stats: { undone: 2, kept: 1 }, progress: { done: 3, total: 3 } })
    }
    expect(await readStatuses(ids)).toEqual([410, 200, 410])
    const changes = await listRunChanges(app, again)
    expect(await listRunChanges(app, tried)).toEqual(changes)
    const kept = changes.filter(({ action }) => action === 'kept')
    expect(kept).toEqual([{ record_id: ids[1], action: 'kept', note: 'it was pinned since' }])
  })

  it('takes back only what is named', async () => {
    const { ids, undone } = await restoreFacts()
    expect((await undo(undone, { only: [ids[2]] })).stats).toMatchObject({ undone: 1, kept: 0 })
    expect(await readStatuses(ids)).toEqual([200, 200, 410])
    expect((await undo(undone, { only: ['undo'] })).stats).toMatchObject({ undone: 2, kept: 1 })
    expect(await readStatuses(ids)).toEqual([410, 410, 410])
  })

  it('brings nothing back that was erased with another record', async () => {
    const { scope, ids, undone } = await restoreFacts()
    const again = await undo(undone)
    const twin = await create(app, faded(scope, 'fact 0'))
    expect((await app.request('POST', `/v1/records/${twin.id}/erase`, { body: reason })).status).toBe(200)
    const restored = await undo(again)
    expect(restored.stats).toMatchObject({ undone: 2, kept: 1 })
    expect(await readStatuses(ids)).toEqual([410, 200, 200])
    const kept = (await listRunChanges(app, restored)).filter(({ action }) => action === 'kept')
    expect(kept).toEqual([
      { record_id: ids[0], action: 'kept', note: 'the same content was erased from its scope' },
    ])
  })
})
