import { afterAll, expect, it } from 'vitest'
import { type Access, logAccesses } from '../../src/lifecycle/access/access.queries.ts'
import { countReads } from '../support/statements/count-reads.ts'
import { openUnanalyzedStore } from '../support/stores/unanalyzed-store.ts'
import { idOf } from '../support/texts/numbered-ids.ts'

const tables = ['records', 'access_log', 'embeddings']
const at = new Date('2026-01-02T00:00:00.000Z')
const accesses = [7, 8].flatMap((n): Access[] => [
  { record_id: idOf(n), at, actor: 'a', kind: 'used' },
  { record_id: idOf(n), at, actor: 'a', kind: 'served', key_id: 'k' },
])

const database = await openUnanalyzedStore(tables, 4_000)
afterAll(() => database.close())

it('accesses are counted on their records without reading others, before the first analyze', async () => {
  const counted: string[] = []
  const reads = await countReads(database.db, tables, async (tx) => {
    counted.push(...(await logAccesses(tx, accesses)))
  })
  expect(counted).toEqual([idOf(7), idOf(8)])
  expect(reads).toBeLessThanOrEqual(30)
})
