import { type Kysely, sql } from 'kysely'

/**
 * Four indexes of records are in ascending order, and lists read them backwards. New records have the latest times and,
 * among records of one half-life and base salience, the highest rank. In descending order each of them came before all
 * others: PostgreSQL halved the first page again and again, and the pages after it stayed half empty. At the end of an
 * index it splits a page so that nine tenths stay full. Records of many scopes in turn still halve the pages between them.
 *
 * Locks: `records` accepts no writes while the indexes are built, about five seconds for 1,000,000 records; reads
 * continue. Then, until the transaction ends, reads wait too while the old indexes are dropped, which takes a moment.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await replaceIndexes(db, '')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await replaceIndexes(db, 'desc')
}

/** Every index is built before the first one is dropped, because reads wait from then on. */
async function replaceIndexes(db: Kysely<unknown>, order: '' | 'desc'): Promise<void> {
  const definitions = Object.entries(indexes(order))
  for (const [name, definition] of definitions)
    await sql.raw(`create index ${name}_new on records ${definition}`).execute(db)
  for (const [name] of definitions) {
    await sql.raw(`drop index ${name}`).execute(db)
    await sql.raw(`alter index ${name}_new rename to ${name}`).execute(db)
  }
}

const indexes = (order: '' | 'desc') => ({
  records_created_at: `(created_at ${order}, id ${order}) where forgotten_at is null`,
  records_updated_at: `(updated_at ${order}, id ${order}) where forgotten_at is null`,
  records_decay_rank: `(half_life_seconds, decay_rank ${order}, id ${order})
    where decay_rank is not null and forgotten_at is null`,
  records_scoped_decay_rank: `(scope, half_life_seconds, decay_rank ${order}, id ${order})
    where decay_rank is not null and forgotten_at is null`,
})
