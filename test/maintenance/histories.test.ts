import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { transact } from '../../src/db/transaction.ts'
import { rotateHistory } from '../../src/maintenance/histories.queries.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import { perform } from '../support/requests/plan-requests.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { goTo, listMonths, purgeHistories } from '../support/stores/history-months.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeEach(async () => {
  app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the tests of histories' } })
})
afterEach(() => app.close())

const day = 86_400_000
const forEver = Number.POSITIVE_INFINITY
const reason = { actor: 'ada', rationale: 'it helped' }
const monthly = { historyRetentionMs: 100 * day }

async function reinforce({ id }: Body): Promise<void> {
  const { status, text } = await app.request('POST', `/v1/records/${id}/reinforce`, { body: reason })
  expect(status, text).toBe(200)
}

async function listActions({ id }: Body): Promise<string[]> {
  const { body } = await app.request('GET', `/v1/records/${id}/audit`)
  return (body as Body).items.map(({ action }: Body) => action)
}

describe('the audit log', () => {
  it('has a partition for each month, and loses the months before its retention and nothing else', async () => {
    const old = await create(app, fact())
    await purgeHistories(app, monthly)
    goTo(app, '2026-04-05')
    await reinforce(old)
    expect(await listMonths(app.db, 'audit_entries')).toEqual({ '202603': 1, '202604': 1, rest: 0 })
    await purgeHistories(app, monthly)
    // No worker runs for a month.
    goTo(app, '2026-06-05')
    const young = await create(app, fact({ scope: 'young' }))
    expect(await listMonths(app.db, 'audit_entries')).toEqual({
      '202603': 1,
      '202604': 1,
      '202605': 0,
      rest: 1,
    })
    await purgeHistories(app, monthly)
    await reinforce(old)
    expect(await listMonths(app.db, 'audit_entries')).toEqual({
      '202603': 1,
      '202604': 1,
      '202605': 0,
      '202606': 2,
      '202607': 0,
      rest: 0,
    })
    expect(await listActions(old)).toEqual(['create', 'reinforce', 'reinforce'])
    goTo(app, '2026-08-20')
    expect((await purgeHistories(app, monthly)).stats.history_months).toBeGreaterThanOrEqual(2)
    expect(await listActions(old)).toEqual(['reinforce'])
    expect(await listActions(young)).toEqual(['create'])
    expect(await listMonths(app.db, 'audit_entries')).toEqual({
      '202605': 0,
      '202606': 2,
      '202607': 0,
      rest: 0,
    })
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('stays in one partition in a small store that keeps it for ever', async () => {
    await create(app, fact())
    await purgeHistories(app, { historyRetentionMs: forEver })
    goTo(app, '2029-01-01')
    await create(app, fact({ scope: 'later' }))
    await purgeHistories(app, { historyRetentionMs: forEver })
    expect(await listMonths(app.db, 'audit_entries')).toEqual({ rest: 2 })
  })

  it('is divided when it has grown, and never dropped when it is kept for ever', async () => {
    await create(app, fact())
    const growing = { historyRetentionMs: forEver, minBytes: 1_000 }
    await purgeHistories(app, growing)
    expect(await listMonths(app.db, 'audit_entries')).toEqual({ '202603': 1, '202604': 0, rest: 0 })
    goTo(app, '2040-01-01')
    await create(app, fact({ scope: 'later' }))
    expect((await purgeHistories(app, growing)).stats).not.toHaveProperty('history_months')
    expect(await listMonths(app.db, 'audit_entries')).toMatchObject({
      '202603': 1,
      '204001': 1,
      '204002': 0,
      rest: 0,
    })
  })

  it('takes entries of any time, and drops those of an import that are older than its retention', async () => {
    const young = await create(app, fact())
    await purgeHistories(app, monthly)
    const [line] = (await exportLines(app)).records
    goTo(app, '2026-08-20')
    await purgeHistories(app, monthly)
    const imported = {
      ...line,
      id: '0190b9a0-0000-7000-8000-000000000001',
      created_at: '2020-01-01T00:00:00.000Z',
      handles: undefined,
      audit_log: [
        { action: 'create', actor: 'ada', rationale: 'long ago', timestamp: '2020-01-01T00:00:00.000Z' },
        {
          action: 'reinforce',
          actor: 'ada',
          rationale: 'not long ago',
          timestamp: '2026-08-01T00:00:00.000Z',
        },
      ],
    }
    const answer = await importLines(app, [imported])
    expect(answer.summary, answer.text).toMatchObject({ created: 1 })
    expect(await listActions(imported)).toEqual(['create', 'reinforce'])
    await app.database.pool.query(
      `insert into audit_entries (record_id, at, action, actor, rationale)
       values ($1, '2031-01-01', 'reinforce', 'ada', 'a clock was wrong')`,
      [young.id],
    )
    await purgeHistories(app, monthly)
    expect(await listActions(imported)).toEqual(['reinforce'])
    expect(await listActions(young)).toContain('reinforce')
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('refuses to be changed by the name of a partition', async () => {
    await create(app, fact())
    await purgeHistories(app, monthly)
    for (const statement of [
      'delete from audit_entries_202603',
      'truncate audit_entries_202603',
      'truncate audit_entries_rest',
    ])
      await expect(app.database.pool.query(statement), statement).rejects.toThrow('append-only')
  })

  it('is tended by two workers at once as by one', async () => {
    await create(app, fact())
    const rotate = () =>
      transact(app.db, {}, (tx) =>
        rotateHistory(tx, 'audit_entries', { now: app.clock.now(), keepFrom: null, minBytes: 1_000 }),
      )
    await Promise.all([rotate(), rotate(), rotate()])
    expect(await listMonths(app.db, 'audit_entries')).toEqual({ '202603': 1, '202604': 0, rest: 0 })
  })

  it('is left alone while somebody reads it, without making anybody wait', async () => {
    const record = await create(app, fact())
    await purgeHistories(app, monthly)
    goTo(app, '2026-09-01')
    const reader = await app.database.pool.connect()
    try {
      await reader.query('begin')
      await reader.query('select from audit_entries')
      expect((await purgeHistories(app, monthly)).status).toBe('succeeded')
      await create(app, fact({ scope: 'meanwhile' }))
      expect(await listActions(record)).toEqual(['create'])
    } finally {
      await reader.query('rollback')
      reader.release()
    }
    await purgeHistories(app, monthly)
    expect(await listActions(record)).toEqual([])
  })

  it('that cannot be tended is reported, and the rest of the purge is done', async () => {
    await app.database.pool.query('alter table audit_entries_rest rename to audit_entries_elsewhere')
    const purged = await purgeHistories(app, monthly)
    expect(purged).toMatchObject({ status: 'succeeded', stats: { failed: 1 } })
    expect(purged.error).toContain('audit_entries')
    goTo(app, '2026-09-01')
    expect((await purgeHistories(app, monthly)).stats).toMatchObject({ maintenance_runs: 1 })
  })
})

describe('a run of the month before', () => {
  const fading = {
    half_life_seconds: 3_600,
    curve: 'linear',
  }
  const forgetfulFact = (n: number) =>
    fact({ scope: `s${n}`, lifecycle: { decay: fading, deletion_policy: 'auto_prune' } })

  it('is taken back, listed and exported as before, and dropped with its month', async () => {
    const records = [await create(app, forgetfulFact(1)), await create(app, forgetfulFact(2))]
    app.clock.advance(day)
    const swept = await perform(app, 'decay')
    expect(swept.stats).toMatchObject({ pruned: 2 })
    await purgeHistories(app, monthly)
    expect(await listMonths(app.db, 'maintenance_changes')).toEqual({ '202603': 2, '202604': 0, rest: 0 })
    goTo(app, '2026-04-02')
    const undone = await perform(app, 'undo', reason, `/v1/maintenance/runs/${swept.id}/undo`)
    expect(undone.stats).toMatchObject({ undone: 2 })
    expect(await listMonths(app.db, 'maintenance_changes')).toMatchObject({ '202603': 2, '202604': 2 })
    const { records: lines } = await exportLines(app)
    expect(lines.map(({ audit_log: log }) => log.map(({ action }: Body) => action))).toEqual(
      records.map(() => ['create', 'delete', 'undo']),
    )
    expect(await listBrokenLaws(app)).toEqual([])
    goTo(app, '2026-07-15')
    await purgeHistories(app, monthly)
    expect(await listMonths(app.db, 'maintenance_changes')).toMatchObject({ '202604': 2 })
    expect((await app.request('GET', `/v1/maintenance/runs/${swept.id}`)).status).toBe(404)
    expect((await app.request('GET', `/v1/maintenance/runs/${undone.id}`)).status).toBe(200)
    expect(await listBrokenLaws(app)).toEqual([])
  })
})
