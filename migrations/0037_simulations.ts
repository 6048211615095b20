import { type Kysely, sql } from 'kysely'

/** The position of each run that simulates a lifecycle, so that another worker can continue it. New table, no lock on others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table simulations (
      run_id uuid not null,
      position text not null,
      constraint simulations_pkey primary key (run_id),
      constraint simulations_run foreign key (run_id) references maintenance_runs (id) on delete cascade
    )
  `.execute(db)
  await sql`comment on table simulations is 'how far each simulation has come'`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table simulations`.execute(db)
}
