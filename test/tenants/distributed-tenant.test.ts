import { describe, expect, it } from 'vitest'
import { citusUrl, moveSchema } from '../support/citus.ts'
import { administer } from '../support/postgres-processes.ts'
import { startTestApp } from '../support/test-app.ts'

const tables = [
  'records',
  'contents',
  'audit_entries',
  'handles',
  'scope_sizes',
  'unconsolidated',
  'unembedded',
]

describe.skipIf(citusUrl === undefined)('a tenant on Citus, for which TEST_CITUS_URL is needed', () => {
  it('has the same rows on the node that it was moved to, and its triggers count there', async () => {
    const app = await startTestApp()
    for (const object of ['Go', 'Rust', 'Zig'])
      await app.request('POST', '/v1/capture', {
        body: {
          source: 'agent-1',
          source_kind: 'observation',
          content: { subject: 'Ada', predicate: 'uses', object },
        },
      })
    const before = await readRows(app.database.url)
    const moved = await moveSchema(citusUrl ?? '', app.database.url)
    expect(new URL(moved).port).not.toBe(new URL(app.database.url).port)
    expect(await readRows(moved)).toEqual(before)
    expect(await countRecords(moved)).toBeGreaterThan(3)
    await administer(moved, `delete from records where type = 'episodic'`)
    const [left] = await administer(moved, 'select count(*)::int as records from records')
    expect(await countRecords(moved)).toBe(left?.rows[0]?.records)
    await app.close()
  })
})

async function readRows(url: string): Promise<unknown[]> {
  const results = await administer(
    url,
    ...tables.map((table) => `select to_jsonb(t)::text as row from ${table} as t order by 1`),
  )
  return results.map(({ rows }) => rows)
}

/** As the triggers counted them. */
async function countRecords(url: string): Promise<number> {
  const [counted] = await administer(url, 'select sum(records)::int as records from scope_sizes')
  return counted?.rows[0]?.records
}
