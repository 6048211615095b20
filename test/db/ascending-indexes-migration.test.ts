import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { migrateDown, openDatabaseAt } from '../support/servers/migrate-down.ts'

const before = '0058_planned_sizes'
const names = ['created_at', 'updated_at', 'decay_rank', 'scoped_decay_rank'].map((name) => `records_${name}`)
const perRound = 4_000

type Opened = Awaited<ReturnType<typeof openDatabaseAt>>

/** Records of one half-life and salience, one second after another. */
async function insertInTurn({ db }: Opened, round: number): Promise<void> {
  await sql`
    insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
      scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
      max_age_seconds, min_salience, reinforcement_gain, importance, base_importance, emotional_valence,
      access_count, confirmation_count, version, curve, deletion_policy, pinned)
    select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'semantic', 'low', 'semantic', 'fact',
      'active', 'ai', 1, at, 'project', 1, 1, at, at, at, 86400, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'exponential',
      'auto_prune', false
    from generate_series(${round * perRound + 1}::int, ${(round + 1) * perRound}::int) as n,
      lateral (select timestamptz '2026-01-01 00:00:00+00' + n * interval '1 second' as at) as born
    order by n
  `.execute(db)
}

async function measureIndexes({ db }: Opened): Promise<number[]> {
  const sizes = names.map((name) => sql`pg_relation_size(${name}::text::regclass)::int`)
  const { rows } = await sql<{ sizes: number[] }>`select array[${sql.join(sizes)}] as sizes`.execute(db)
  return rows[0]?.sizes ?? []
}

/** The newest records and those of the highest rank, and how they are found. */
async function listFirst({ db }: Opened) {
  const orders = [
    sql`order by created_at desc, id desc`,
    sql`order by updated_at desc, id desc`,
    sql`and half_life_seconds = 86400 and decay_rank is not null order by decay_rank desc, id desc`,
    sql`and scope = 'project' and half_life_seconds = 86400 and decay_rank is not null order by decay_rank desc, id desc`,
  ]
  const found = []
  for (const order of orders) {
    const query = sql<{ number: string }>`
      select right(id::text, 4) as number from records where forgotten_at is null ${order} limit 2`
    const { rows: plan } = await sql<Record<string, string>>`explain (costs off) ${query}`.execute(db)
    const { rows } = await query.execute(db)
    const lines = plan.map((line) => line['QUERY PLAN'] ?? '')
    found.push({
      isSorted: lines.some((line) => line.includes('Sort')),
      first: rows.map((row) => row.number),
    })
  }
  return found
}

it('the migration of ascending indexes keeps the pages of new records full, and lists need no sort before and after', async () => {
  const opened = await openDatabaseAt(before)
  onTestFinished(opened.close)
  await insertInTurn(opened, 0)
  const halfFull = await measureIndexes(opened)
  const listed = await listFirst(opened)
  expect(listed).toEqual(names.map(() => ({ isSorted: false, first: ['0fa0', '0f9f'] })))
  await migrateUp(opened.db)
  expect(await listFirst(opened)).toEqual(listed)
  await insertInTurn(opened, 1)
  const full = await measureIndexes(opened)
  for (const [index, name] of names.entries()) {
    // Twice the records in less than a quarter more.
    expect(full[index], name).toBeLessThan(1.25 * (halfFull[index] ?? 0))
  }
  await migrateDown(opened.db, before)
  expect(await listFirst(opened)).toEqual(names.map(() => ({ isSorted: false, first: ['1f40', '1f3f'] })))
})
