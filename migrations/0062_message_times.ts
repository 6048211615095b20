import { type Kysely, sql } from 'kysely'

/**
 * Finds the messages of a period in every scope. Creating the index blocks writes of messages, about a second for a million
 * of them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index messages_time on messages (at, arrival)`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop index messages_time`.execute(db)
}
