import { expect, it, onTestFinished } from 'vitest'
import { findWrongSizes } from '../../src/checking/lifecycle-laws.queries.ts'
import { migrateUp } from '../../src/db/migrator.ts'
import { migrateDown } from '../support/servers/migrate-down.ts'
import { insertFadingRecords } from '../support/stores/fading-records.ts'
import { openWorkerSetup } from '../support/workers/worker-setup.ts'

it('the migration of budgets counts the records of an earlier version, and reverts with records in the store', async () => {
  const setup = await openWorkerSetup()
  onTestFinished(setup.close)
  await migrateDown(setup.db, '0032_run_requesters')
  await insertFadingRecords(setup, { count: 50, createdAt: setup.clock.now(), scope: 'a' })
  await insertFadingRecords(setup, { count: 30, createdAt: setup.clock.now(), offset: 50 })
  await setup.pool.query(
    `update records set forgotten_at = created_at, forgotten_reason = 'deleted', forgotten_by = 'ada',
       purge_at = created_at + interval '30 days'
     where id in (select id from records where scope = 'a' order by id limit 7)`,
  )
  await migrateUp(setup.db)
  const { rows } = await setup.pool.query(
    'select scope, sum(records)::int as records from scope_sizes group by scope order by scope',
  )
  expect(rows).toEqual([
    { scope: '', records: 30 },
    { scope: 'a', records: 43 },
  ])
  expect(await findWrongSizes(setup.db)).toMatchObject({ broken: 0 })
  await migrateDown(setup.db, '0032_run_requesters')
  await insertFadingRecords(setup, { count: 1, createdAt: setup.clock.now(), offset: 90 })
  await migrateUp(setup.db)
  expect(await findWrongSizes(setup.db)).toMatchObject({ broken: 0 })
})
