import { sql } from 'kysely'
import type { PoolClient } from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import { isLongRun } from '../support/long-run.ts'
import { type Body, create } from '../support/requests/record-requests.ts'
import { buildStatement, link, listNodeIds, retrieve } from '../support/requests/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** Creates a chain: the first contains the word, and each next one is linked from the one before. */
async function chain(word: string, length: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < length; index++) {
    ids.push((await create(app, buildStatement(index === 0 ? word : `link ${index}`))).id)
  }
  for (const [index, id] of ids.slice(1).entries()) await link(app, ids[index] ?? '', 'leads_to', id)
  return ids
}

const roots = (answer: Body) => answer.nodes.map((node: Body) => [node.hop, node.root])

describe('graph expansion from the roots', () => {
  it('follows edges up to max_hops, nearest first', async () => {
    const ids = await chain('finch', 5)
    for (const max_hops of [0, 1, 2, 3]) {
      const answer = await retrieve(app, { task_descriptor: 'finch', root_limit: 1, max_hops })
      expect(listNodeIds(answer)).toEqual(ids.slice(0, max_hops + 1))
      expect(roots(answer)).toEqual(ids.slice(0, max_hops + 1).map((_, hop) => [hop, hop === 0]))
      expect(answer.edges.map((edge: Body) => [edge.source_id, edge.target_id])).toEqual(
        ids.slice(1, max_hops + 1).map((id, index) => [ids[index], id]),
      )
      expect(answer.root_ids).toEqual(ids.slice(0, 1))
    }
  })

  it('prefers neighbours with heavier edges and respects both limits exactly', async () => {
    const { id } = await create(app, buildStatement('crane'))
    const weighed: string[] = []
    for (let index = 0; index < 12; index++) {
      const neighbour = await create(app, buildStatement(`neighbour ${index}`))
      weighed.push(neighbour.id)
      await link(app, id, 'near', neighbour.id, (index + 1) / 12)
    }
    const ask = { task_descriptor: 'crane', root_limit: 1, node_limit: 5, edge_limit: 3, explain: true }
    const answer = await retrieve(app, ask)
    expect(listNodeIds(answer)).toEqual([id, ...weighed.slice(-4).reverse()])
    expect(answer.edges).toHaveLength(3)
    expect(answer.nodes[1].signals).toMatchObject({
      channels: [],
      via: { source_id: id, predicate: 'near', weight: 1 },
    })
    expect((await retrieve(app, { ...ask, edge_limit: 0 })).edges).toEqual([])
    expect(listNodeIds(await retrieve(app, { ...ask, node_limit: 1 }))).toEqual([id])
  })

  it('visits no record twice, also in a cycle', async () => {
    const one = await create(app, buildStatement('wren'))
    const other = await create(app, buildStatement('another'))
    await link(app, one.id, 'supports', other.id)
    await link(app, other.id, 'supports', one.id)
    const answer = await retrieve(app, { task_descriptor: 'wren', root_limit: 1, max_hops: 5 })
    expect(listNodeIds(answer)).toEqual([one.id, other.id])
    expect(answer.edges).toHaveLength(4)
  })

  it('neither returns inactive records nor passes through them', async () => {
    const ids = await chain('swift', 3)
    const body = { status: 'challenged', reason: 'doubt', actor: 'ada' }
    await app.request('POST', `/v1/records/${ids[1]}/status`, { body })
    const ask = { task_descriptor: 'swift', root_limit: 1, max_hops: 3 }
    expect(listNodeIds(await retrieve(app, ask))).toEqual(ids.slice(0, 1))
    expect(listNodeIds(await retrieve(app, { ...ask, include_status: ['challenged'] }))).toEqual(ids)
  })

  it('follows all edges between many records that are linked with each other', async () => {
    // So many edges in a long run that one call could not have them as its arguments.
    const count = isLongRun ? 380 : 60
    const records = Array.from({ length: count }, (_, index) => ({
      ...buildStatement(`hub ${index}`),
      scope: 'hubs',
    }))
    expect((await app.request('POST', '/v1/records/batch', { body: { records } })).status).toBe(200)
    await sql`
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select one.id, 'near', other.id, 1, one.created_at
      from records as one join records as other on other.scope = 'hubs' and other.id <> one.id
      where one.scope = 'hubs'
    `.execute(app.db)
    const ask = { task_descriptor: 'hub', scopes: ['hubs'], root_limit: 1, node_limit: 500, max_hops: 2 }
    expect((await retrieve(app, ask)).nodes).toHaveLength(count)
  })

  it('sends no statement more for a record without edges', async () => {
    await create(app, buildStatement('a lonely ibis', { scope: 'lonely' }))
    const ask = { task_descriptor: 'lonely ibis', root_limit: 1, record_access: false }
    const { counts } = await askWithin([0, 1, 3], ask)
    const [none] = counts
    expect(counts).toEqual([none, none, none])
  })
})

describe('graph expansion around a hub with 10,000 edges', () => {
  const hub = 'ffffffff-0000-7000-8000-000000000000'

  it('returns the same five nodes each time, with the same few statements', async () => {
    await create(app, { ...buildStatement('the condor hub'), id: hub, scope: 'hub' })
    const { id } = await create(app, buildStatement('a rarer kind of edge', { scope: 'hub' }))
    await link(app, hub, 'watched_by', id)
    await sql`
      with drawn as (
        select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id, n
        from generate_series(1, 2000) as n
      ), record as (
        insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
          scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
          max_age_seconds, min_salience, reinforcement_gain, max_salience, importance, base_importance,
          emotional_valence, access_count, confirmation_count, version, curve, deletion_policy, pinned)
        select id, 'semantic', 'low', 'semantic', 'fact', 'active', 'ai', 1, ${app.clock.now()}::timestamptz, 'spokes',
          0.5, 0.5, ${app.clock.now()}::timestamptz, ${app.clock.now()}::timestamptz, ${app.clock.now()}::timestamptz,
          86400, 0, 0, 0, 1, 0.5, 0.5, 0, 0, 0, 1, 'exponential', 'auto_prune', false
        from drawn
      ), content as (
        insert into contents (record_id, tags, payload, provenance, search)
        select id, '{}', jsonb_build_object('kind', 'semantic', 'subject', 's', 'predicate', 'p', 'object', n,
          'validity', '{"mode": "global"}'::jsonb, 'evidence', '[]'::jsonb),
          '{"sources": [{"kind": "event", "ref": "test"}]}', ''
        from drawn
      )
      insert into relations (source_id, target_id, predicate, weight, created_at)
      select ${hub}::uuid, id, 'supports', 1, ${app.clock.now()}::timestamptz from drawn
    `.execute(app.db)
    const ask = { task_descriptor: 'condor hub', root_limit: 1, node_limit: 5, record_access: false }
    const { counts, answers } = await askWithin([0, 1, 1, 2], ask)
    const [, first, again] = answers
    expect(again).toBe(first)
    const { nodes, edges } = JSON.parse(first ?? '')
    expect(nodes).toHaveLength(5)
    expect(nodes.map((node: Body) => node.record.id)).toContain(id)
    expect(edges).toHaveLength(4)
    const [none = 0, one = 0, same, two] = counts
    expect([one - none, same, two]).toEqual([1, one, one + 1])
    expect(none).toBeLessThan(12)
  })
})

/** Asks within each number of hops. Returns the answers, and how many statements each took. */
async function askWithin(hops: readonly number[], ask: Body) {
  const counts: number[] = []
  const answers: string[] = []
  // The first question reads how common words are and caches it.
  await app.request('POST', '/v1/retrieve', { body: ask })
  // Served accesses are counted by statements that do not belong to the questions.
  await app.services.access.flush()
  for (const max_hops of hops) {
    const counter = countStatements(app)
    const { text } = await app.request('POST', '/v1/retrieve', { body: { ...ask, max_hops } })
    counts.push(counter.stop())
    answers.push(text)
  }
  return { counts, answers }
}

/** Counts the statements on every connection of the pool. */
function countStatements({ database: { pool } }: TestApp) {
  let count = 0
  const restore = new Map<PoolClient, PoolClient['query']>()
  const watch = (client: PoolClient) => {
    const { query } = client
    restore.set(client, query)
    client.query = ((...args: unknown[]) => {
      count++
      return Reflect.apply(query, client, args)
    }) as typeof query
  }
  const leave = (_: unknown, client: PoolClient) => {
    const query = restore.get(client)
    if (query) client.query = query
  }
  pool.on('acquire', watch)
  pool.on('release', leave)
  return {
    stop: () => {
      pool.off('acquire', watch)
      pool.off('release', leave)
      return count
    },
  }
}
