import { afterAll, expect, it } from 'vitest'
import { fullTrust } from '../../src/domain/trust/caller.ts'
import { findRecords } from '../../src/records/index.ts'
import { countReads } from '../support/statements/count-reads.ts'
import { openUnanalyzedStore } from '../support/stores/unanalyzed-store.ts'
import { idOf } from '../support/texts/numbered-ids.ts'

const tables = ['records', 'contents', 'relations']

const database = await openUnanalyzedStore(tables, 8_000)
await database.pool.query(
  `insert into relations (source_id, target_id, predicate, weight, created_at)
   select r.id, lead(r.id, 1, r.id) over (order by r.id), 'next_to', 1, now() from records as r`,
)
afterAll(() => database.close())

it.each([
  ['a key that sees everything', fullTrust],
  ['a key of some scopes', { maxSensitivity: 'high', scopes: ['project-7', 'project-8'] }],
] as const)(
  'records are read with their relations without reading others, before the first analyze, for %s',
  async (_, trust) => {
    const ids = [7, 8, 9].map(idOf)
    const read = (db: typeof database.db) => findRecords(db, ids, trust)
    expect((await read(database.db))[0]?.relations).toHaveLength(1)
    expect(await countReads(database.db, tables, read)).toBeLessThanOrEqual(30)
  },
)
