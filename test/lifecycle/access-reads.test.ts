import { afterAll, beforeAll, expect, it } from 'vitest'
import { populateFacts } from '../../bench/consolidation/population.ts'
import { type Access, logAccesses } from '../../src/lifecycle/access.queries.ts'
import { countReads } from '../support/count-reads.ts'
import { openTestDatabase } from '../support/database.ts'

const tables = ['records', 'access_log', 'embeddings']
const at = new Date('2026-01-02T00:00:00.000Z')
const record_id = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const accesses = [7, 8].flatMap((n): Access[] => [
  { record_id: record_id(n), at, actor: 'a', kind: 'used' },
  { record_id: record_id(n), at, actor: 'a', kind: 'served', key_id: 'k' },
])

let database: Awaited<ReturnType<typeof openTestDatabase>>

/** A store as after an import: autovacuum has not read the tables yet. */
beforeAll(async () => {
  database = await openTestDatabase()
  for (const table of tables)
    await database.pool.query(`alter table ${table} set (autovacuum_enabled = false)`)
  await populateFacts(database.pool, 0, 1_000)
})
afterAll(() => database.close())

it('accesses are counted on their records without reading others, before the first analyze', async () => {
  const counted: string[] = []
  const reads = await countReads(database.db, tables, async (tx) => {
    counted.push(...(await logAccesses(tx, accesses)))
  })
  expect(counted).toEqual([record_id(7), record_id(8)])
  expect(reads).toBeLessThanOrEqual(30)
})
