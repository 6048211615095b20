import { afterEach, beforeEach, expect, it } from 'vitest'
import { insertFadingRecords } from '../support/stores/fading-records.ts'
import { openWorkerSetup, type WorkerSetup } from '../support/workers/worker-setup.ts'

let setup: WorkerSetup
beforeEach(async () => {
  setup = await openWorkerSetup({ rows: 20, blocks: 1, shareFrom: 1_000 })
})
afterEach(() => setup.close())

/** As if a batch of more records took longer than a statement may, and so did one record by itself. */
async function limitStatements(most: number, failing: string): Promise<void> {
  await setup.pool.query(`
    create function limit_statement() returns trigger language plpgsql as $$
      begin
        if (select count(*) > ${most} or bool_or(id = '${failing}') from written) then
          raise exception using errcode = 'query_canceled', message = 'canceling statement due to statement timeout';
        end if;
        return null;
      end
    $$;
    create trigger limited after update on records referencing new table as written
      for each statement execute function limit_statement()`)
}

it('a batch that takes longer than a statement may is done in smaller ones', async () => {
  const { clock, db } = setup
  await insertFadingRecords(setup, { count: 60, createdAt: new Date(clock.now().getTime() - 6 * 3_600_000) })
  const [first] = await db
    .selectFrom('records')
    .where('fades_at', 'is not', null)
    .select('id')
    .orderBy('id')
    .execute()
  await limitStatements(5, first?.id ?? '')
  const run = await setup.run('decay')
  expect(run).toMatchObject({ status: 'succeeded', attempts: 1, stats: { failed: 1 } })
  expect((await setup.run('decay', { dryRun: true })).stats).not.toHaveProperty('materialised')
})
