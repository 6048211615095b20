import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { openTestDatabase } from '../../support/servers/database.ts'
import { compileQueries } from '../../support/statements/compiled-queries.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

async function explainLinking(): Promise<string> {
  const linking = (await compileQueries()).find(({ query }) => query === 'linkEdges')
  const text = linking?.compiled[0]?.sql ?? ''
  const places = new Set([...text.matchAll(/\$\d+/g)].map(([place]) => place))
  const client = await database.pool.connect()
  try {
    await client.query('begin; set local plan_cache_mode = force_generic_plan')
    await client.query(`prepare linking as ${text}`)
    const nulls = [...places].map(() => 'null').join(', ')
    const { rows } = await client.query(`explain execute linking (${nulls})`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } finally {
    await client.query('rollback; deallocate all')
    client.release()
  }
}

it('each record that arrives reads only its own waiting edges, also by a generic plan', async () => {
  await sql`
    insert into awaiting_edges (import_id, source_id, target_id, received_at, created_at, weight, predicate)
    select '00000000-0000-7000-8000-000000000001', gen_random_uuid(), gen_random_uuid(), now(), now(), 1, 'supports'
    from generate_series(1, 1400)
  `.execute(database.db)
  expect(await explainLinking()).toMatch(
    /Index Cond: \(\(import_id = \$\d+\) AND \(target_id = arrived\.id\)\)/,
  )
})
