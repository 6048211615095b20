import { expect, it, onTestFinished } from 'vitest'
import { populateFacts } from '../../bench/consolidation/population.ts'
import type { Database } from '../../src/db/connection.ts'
import { readPortion } from '../../src/dream/clustering/clustering.queries.ts'
import { listMostReferencedEntities } from '../../src/dream/synthesis/synthesis.queries.ts'
import { nilUuid } from '../../src/kernel/ids.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { countReads } from '../support/statements/count-reads.ts'

const others = 2_000
const own = 20

/** A scope of a few records in a store of many. */
async function openStore() {
  const { db, pool, close } = await openTestDatabase()
  onTestFinished(close)
  // What the planner believes of the tables is decided here alone.
  await pool.query('alter table records set (autovacuum_enabled = false)')
  await populateFacts(pool, 0, others)
  await pool.query(
    `update records set scope = 'alone', type = case when n % 2 = 0 then 'entity' else 'semantic' end::record_type
     from (select id, row_number() over (order by id) as n from records limit $1) as chosen
     where records.id = chosen.id`,
    [own],
  )
  // Without foreign keys, because the vectors themselves are not read here.
  await pool.query(`
    begin;
    set local session_replication_role = replica;
    insert into signatures (record_id, model_id, bits) select id, 1, repeat('0', 1024)::bit(1024) from records;
    commit`)
  return { db, pool }
}

const works: Record<string, (tx: Database) => Promise<unknown>> = {
  'the records to cluster': (tx) =>
    readPortion(
      tx,
      { scope: 'alone', memory_kind: 'fact', sensitivity: 'low' },
      { modelId: 1, after: nilUuid, limit: 1_000 },
    ),
  'the entities to link': (tx) =>
    listMostReferencedEntities(tx, { scope: 'alone', ceiling: 'high', limit: 10 }),
}

it.each(Object.entries(works))(
  'of a scope, %s are found without reading the other scopes',
  async (_, work) => {
    const { db, pool } = await openStore()
    expect(await countReads(db, ['records'], work)).toBeLessThanOrEqual(2 * own)
    await pool.query('vacuum analyze')
    expect(await countReads(db, ['records'], work)).toBeLessThanOrEqual(2 * own)
  },
)
