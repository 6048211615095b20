import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import { deleteErased } from '../../../src/records/deletion/departures.queries.ts'
import { deleteEffects } from '../../../src/records/erasure/run-effects.queries.ts'
import { countReads } from '../../support/statements/count-reads.ts'
import { openUnanalyzedStore } from '../../support/stores/unanalyzed-store.ts'
import { idOf } from '../../support/texts/numbered-ids.ts'

const tables = ['records', 'contents', 'handles', 'run_effects', 'unembedded']
const erasedIds = [idOf(7), idOf(8)]

const database = await openUnanalyzedStore(tables, 8_000)
beforeAll(async () => {
  const { pool } = database
  await pool.query(
    `insert into run_effects (run_id, record_id, relation, after) select $1, id, 'records', '{}' from records`,
    [idOf(1)],
  )
  await pool.query(
    'insert into unembedded (record_id, asked_at, due_at) select id, now(), now() from records on conflict do nothing',
  )
})
afterAll(() => database.close())

const works: Record<string, (tx: Database) => Promise<unknown>> = {
  'what runs kept of them': (tx) => deleteEffects(tx as Transaction, { erasedIds, keptIds: [idOf(9)] }),
  themselves: (tx) =>
    deleteErased(tx as Transaction, erasedIds, { actor: 'a', at: new Date('2026-01-02T00:00:00.000Z') }),
}

it.each(Object.entries(works))(
  'erased records: %s is deleted without reading other rows, before the first analyze',
  async (_, work) => {
    expect(await countReads(database.db, tables, work)).toBeLessThanOrEqual(40)
  },
)
