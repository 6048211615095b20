import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import { deleteErased } from '../../../src/records/deletion/departures.queries.ts'
import { clearSharedReasons } from '../../../src/records/erasure/shared-reasons.queries.ts'
import { countReads } from '../../support/statements/count-reads.ts'
import { openUnanalyzedStore } from '../../support/stores/unanalyzed-store.ts'
import { idOf } from '../../support/texts/numbered-ids.ts'

const tables = ['records', 'audit_entries_rest', 'status_changes']
const erasedIds = [idOf(7)]

const database = await openUnanalyzedStore(tables, 8_000)
beforeAll(async () => {
  await database.pool.query(
    `insert into audit_entries (record_id, at, action, actor, rationale) select id, now(), 'create', 'a', 'r' from records, generate_series(1, 3)`,
  )
})
afterAll(() => database.close())

const works: Record<string, (tx: Database) => Promise<unknown>> = {
  'for reasons that quote it': (tx) => clearSharedReasons(tx as Transaction, erasedIds),
  'when it is deleted': (tx) =>
    deleteErased(tx as Transaction, erasedIds, { actor: 'a', at: new Date('2026-01-02T00:00:00.000Z') }),
}

it.each(Object.entries(works))(
  'the logs of other records than the erased one are not read %s, before the first analyze',
  async (_, work) => {
    expect(await countReads(database.db, tables, work)).toBeLessThanOrEqual(40)
  },
)
