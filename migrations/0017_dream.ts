import { type Kysely, sql } from 'kysely'

/**
 * Digests of the questions that a dream asked a model without a usable answer; no content. A new table only: no
 * reader or writer waits.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table dream_verdicts`.execute(db)
}

const statements = [
  `create table dream_verdicts (
    decided_at timestamptz not null,
    step text not null,
    digest bytea not null,
    constraint dream_verdicts_pkey primary key (step, digest),
    constraint dream_verdicts_digest_length check (octet_length(digest) = 16)
  )`,
  `create index dream_verdicts_decided on dream_verdicts (decided_at)`,
]
