import { type Kysely, sql } from 'kysely'

/**
 * The secret from which the ids of records of other programs are computed. Without it, a client could compute the id of
 * a record in a scope that it does not see and test whether it exists. New table, no lock on others.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table import_secret`.execute(db)
}

const statements = [
  `create table import_secret (
    only_row boolean not null,
    secret uuid not null,
    more_secret uuid not null,
    constraint import_secret_pkey primary key (only_row),
    constraint import_secret_one_row check (only_row)
  )`,
  `insert into import_secret (only_row, secret, more_secret) values (true, gen_random_uuid(), gen_random_uuid())`,
]
