import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { sumTallies } from '../../src/metrics/store.queries.ts'
import { shareWorkerSetup } from '../support/apps/shared-store.ts'
import { insertFadingRecords } from '../support/stores/fading-records.ts'
import type { WorkerSetup } from '../support/workers/worker-setup.ts'

const openSetup = shareWorkerSetup()
let setup: WorkerSetup
beforeEach(async () => {
  setup = await openSetup()
})

const countRows = async (table: string) => {
  const { rows } = await sql<{
    rows: number
  }>`select count(*)::int4 as rows from ${sql.table(table)}`.execute(setup.db)
  return rows[0]?.rows
}

it('counts of connections that are gone are added up', async () => {
  const { db } = setup
  await sql`
    insert into tallies (name, backend, value) select 'restored', backend, 2 from generate_series(1, 12000) as backend
  `.execute(db)
  await setup.run('decay')
  expect(await sumTallies(db)).toContainEqual({ name: 'restored', value: 24_000 })
  expect(await countRows('tallies')).toBeLessThan(100)
  await setup.run('decay')
  expect(await sumTallies(db)).toContainEqual({ name: 'restored', value: 24_000 })
})

it('nothing is left of the size of a scope whose records are gone', async () => {
  await insertFadingRecords(setup, { scope: 'a session', count: 10, createdAt: setup.clock.now() })
  await setup.db.deleteFrom('records').where('scope', '=', 'a session').execute()
  await setup.run('decay')
  expect(await countRows('scope_sizes')).toBe(0)
})
