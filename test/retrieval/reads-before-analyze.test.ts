import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../src/db/connection.ts'
import { openTo } from '../../src/db/fragments/visibility.ts'
import type { Trust } from '../../src/domain/trust/caller.ts'
import { findEntitiesByName } from '../../src/entities/entities.queries.ts'
import { findNamedEntities } from '../../src/retrieval/channels/name-search.queries.ts'
import { findByHandles } from '../../src/retrieval/prompt/prompt-context.queries.ts'
import { countReads } from '../support/statements/count-reads.ts'
import { openUnanalyzedStore } from '../support/stores/unanalyzed-store.ts'

const trust: Trust = { maxSensitivity: 'low', scopes: ['project-7', 'project-8'] }
const tables = ['records', 'contents', 'handles']
const digests = [7, 8].map((n) => Buffer.from(n.toString(16).padStart(32, '0'), 'hex'))
const [digest = Buffer.alloc(16)] = digests

const database = await openUnanalyzedStore(tables, 1_000)
beforeAll(async () => {
  const { pool } = database
  await pool.query(`update records set type = 'entity'`)
  await pool.query(
    `insert into handles (digest, record_id, place, scope)
     select decode(lpad(to_hex(n), 32, '0'), 'hex'), r.id, 0, r.scope
     from (select r.*, row_number() over (order by id) as n from records as r) as r`,
  )
})
afterAll(() => database.close())

const works: Record<string, (tx: Database) => Promise<unknown>> = {
  'the entities that a question names': (tx) =>
    findNamedEntities(tx, { question: { trust }, digests, maxEntities: 10 } as never),
  'the records with a handle': (tx) =>
    findByHandles(tx, {
      type: 'entity',
      digests,
      conditions: [sql`r.forgotten_at is null`, openTo(trust)],
      scopes: ['project-7'],
      limit: 10,
    } as never),
  'the entities with a name': (tx) =>
    findEntitiesByName(tx, { digest, term: 'a', scope: undefined, trust }, 10),
}

it.each(Object.entries(works))(
  '%s are found without reading others, before the first analyze',
  async (_, work) => {
    expect(await countReads(database.db, tables, work)).toBeLessThanOrEqual(30)
  },
)
