import { expect, it, onTestFinished } from 'vitest'
import { combineAccesses } from '../../src/domain/importance/access-weights.ts'
import { scoreImportance, sourceTrust } from '../../src/domain/importance/importance.ts'
import { computeRetention } from '../../src/domain/lifecycle/retention.ts'
import { logAccesses } from '../../src/lifecycle/access/access.queries.ts'
import { findLoggedAccesses } from '../../src/lifecycle/importance/importance.queries.ts'
import { rescoreAndPromote } from '../../src/lifecycle/promotion/promotion.service.ts'
import { isDueArchival } from '../support/checks/lifecycle-rules.ts'
import { insertRecordHistories, type RecordHistory } from '../support/stores/record-histories.ts'
import { day } from '../support/workers/test-works.ts'
import { openWorkerSetup, type WorkerSetup } from '../support/workers/worker-setup.ts'

const minute = 60_000
const population = 240
const simulatedDays = 210

/** Builds a fixed set of histories of every layer and source, some with accesses. */
function buildHistories(): RecordHistory[] {
  const layers = ['working', 'episodic', 'episodic', 'semantic', 'procedural'] as const
  const sources = Object.keys(sourceTrust) as (keyof typeof sourceTrust)[]
  return Array.from({ length: population }, (_, n) => {
    const age_ms = (n % 31) * day + n * minute
    const used = n % 4 === 0 ? 4 : n % 3
    return {
      age_ms,
      layer: layers[n % layers.length] ?? 'episodic',
      confirmations: n % 3,
      source_type: sources[n % sources.length] ?? 'ai',
      base_importance: n % 6 === 0 ? 1 - (n % 4) / 20 : ((n * 37) % 101) / 250,
      emotional_valence: n % 3 === 0 ? -1 + (n % 5) / 10 : 0,
      accesses: Array.from({ length: used }, (_each, time) => ({
        age_ms: (age_ms * (time + 1)) / (used + 1),
        kind: time % 2 === 0 ? ('used' as const) : ('served' as const),
      })),
      unlogged: 0,
      folded_days: 0,
    }
  })
}

/** Picks who is used on a day; uses end before any record is old enough to be archived. */
function usedOn(ids: readonly string[], today: number): string[] {
  return today < 55 ? ids.filter((_, n) => n % 3 === 0 && (today * 7 + n * 13) % (7 + (n % 40)) === 0) : []
}

async function rescoreAll(setup: WorkerSetup, ids: readonly string[]): Promise<void> {
  await setup.db.transaction().execute((tx) => rescoreAndPromote(tx, { ids, now: setup.clock.now() }))
}

/** Simulates the days with the same uses and a dream every so many days, and returns what became of each record. */
async function simulate(everyDays: number) {
  const setup = await openWorkerSetup({ rows: 50, blocks: 4, shareFrom: 1_000_000 })
  onTestFinished(setup.close)
  const ids = await insertRecordHistories(setup.pool, buildHistories(), setup.clock.now())
  await rescoreAll(setup, ids)
  for (let today = 1; today <= simulatedDays; today++) {
    setup.clock.advance(day)
    const used = usedOn(ids, today)
    const at = setup.clock.now()
    await setup.db.transaction().execute(async (tx) => {
      await logAccesses(
        tx,
        used.map((record_id) => ({ record_id, at, kind: 'used', actor: 'test' })),
      )
      await rescoreAndPromote(tx, { ids: used, now: at })
    })
    if (today % everyDays === 0 || today === simulatedDays) {
      expect(await setup.run('dream')).toMatchObject({ status: 'succeeded' })
    }
  }
  return { setup, ids, outcomes: await readOutcomes(setup, ids) }
}

async function readOutcomes(setup: WorkerSetup, ids: readonly string[]) {
  const rows = await setup.db.selectFrom('records').selectAll().execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => {
    const row = byId.get(id)
    if (!row) throw new Error('a record is gone')
    return row
  })
}

type Row = Awaited<ReturnType<typeof readOutcomes>>[number]

/** Applies the rules in TypeScript to the stored record as of an instant, as if no dream had run. */
async function isDue(setup: WorkerSetup, row: Row, at: Date): Promise<boolean> {
  const logged = await findLoggedAccesses(setup.db, row.id)
  const ageDays = Math.max(0, at.getTime() - row.created_at.getTime()) / day
  const source_trust = sourceTrust[row.source_type]
  return isDueArchival({
    layer: row.layer,
    pinned: row.pinned,
    deletion_policy: row.deletion_policy,
    age_days: ageDays,
    accesses: combineAccesses(row, logged, at).weight,
    retention: computeRetention({
      mode: 'huber',
      layer: row.layer,
      source_trust,
      accesses: row.access_count,
      days_since_access: (at.getTime() - (row.last_accessed_at ?? row.created_at).getTime()) / day,
    }).value,
    importance: scoreImportance({
      layer: row.layer,
      source_trust,
      age_days: ageDays,
      confirmations: row.confirmation_count,
      base_importance: row.base_importance,
      emotional_valence: row.emotional_valence,
      accesses: combineAccesses(row, logged, at),
    }),
  })
}

it('daily, weekly and single dreams archive and promote the same records', {
  timeout: 240_000,
}, async () => {
  const daily = await simulate(1)
  const weekly = await simulate(7)
  const once = await simulate(simulatedDays)
  const outcomeOf = ({ layer, forgotten_reason, version }: Row) => ({ layer, forgotten_reason, version })
  const dailyOutcomes = daily.outcomes.map(outcomeOf)
  expect(weekly.outcomes.map(outcomeOf)).toEqual(dailyOutcomes)
  expect(once.outcomes.map(outcomeOf)).toEqual(dailyOutcomes)

  // The simulation must contain some of each.
  const archived = daily.outcomes.filter(({ forgotten_reason }) => forgotten_reason === 'archived')
  expect(archived.length).toBeGreaterThan(20)
  expect(archived.length).toBeLessThan(population - 60)
  const risen = await daily.setup.pool.query(
    `select count(*) filter (where changes #>> '{layer,1}' = 'episodic')::int as episodic,
       count(*) filter (where changes #>> '{layer,1}' = 'semantic')::int as semantic
     from audit_entries where action = 'promote'`,
  )
  expect(risen.rows[0].episodic).toBeGreaterThan(20)
  expect(risen.rows[0].semantic).toBeGreaterThan(5)

  for (const row of daily.outcomes) {
    if (!row.forgotten_at) expect(await isDue(daily.setup, row, daily.setup.clock.now())).toBe(false)
    else {
      // Each happened at the first run after it was due, and not before.
      expect(await isDue(daily.setup, row, row.forgotten_at)).toBe(true)
      const runBefore = new Date(row.forgotten_at.getTime() - day)
      expect(await isDue(daily.setup, row, runBefore)).toBe(false)
    }
  }
})
