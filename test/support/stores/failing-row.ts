import type { TestApp } from '../test-app.ts'

type Failure = {
  table: 'records' | 'embeddings' | 'surprises' | 'access_log' | 'signatures' | 'unconsolidated'
  event: 'insert' | 'update' | 'delete'
  id: string
}

/** Simulates a bug or damage that affects one record: a statement that writes its row of a table fails. */
export async function failOnRow(
  { database }: Pick<TestApp, 'database'>,
  { table, event, id }: Failure,
): Promise<void> {
  const row = `${event === 'insert' ? 'new' : 'old'}.${table === 'records' ? 'id' : 'record_id'}`
  await database.pool.query(`
    create or replace function fail_on_row() returns trigger language plpgsql as $$
      begin raise exception 'a bug'; end
    $$;
    create or replace trigger failing before ${event} on ${table} for each row when (${row} = '${id}')
      execute function fail_on_row()`)
}

export async function stopFailing(
  { database }: Pick<TestApp, 'database'>,
  table: Failure['table'],
): Promise<void> {
  await database.pool.query(`drop trigger failing on ${table}`)
}
