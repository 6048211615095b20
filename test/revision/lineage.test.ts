import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { purgeForgotten } from '../../src/records/index.ts'
import { createSessionEnder } from '../support/processes/end-session.ts'
import { type Body, create, expectProblem, payloads } from '../support/requests/record-requests.ts'
import { buildClaim, mergeRecords, readLineage, revise } from '../support/requests/revision-requests.ts'
import { insertEdges } from '../support/stores/insert-edges.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the lineage tests' } })
afterAll(() => app.close())

async function createRevision(call: string, id: string, object: string, more: object = {}): Promise<string> {
  app.clock.advance(1_000)
  const answer = await revise(app, call, id, { record: buildClaim(object, more) })
  return (answer.body as Body).record.id
}

const idsOf = ({ nodes }: Body): string[] => nodes.map(({ id }: Body) => id)
const forget = (id: string) => app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`)

describe('GET /v1/records/{id}/lineage', () => {
  it('returns the nearest ten thousand of a larger lineage', async () => {
    const root = (await create(app, buildClaim('a root'))).id
    await sql`
      with child as (
        insert into records (id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at,
          half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
          base_importance, emotional_valence, access_count, confirmation_count, version, type, sensitivity, layer,
          memory_kind, status, source_type, curve, deletion_policy, pinned, scope)
        select gen_random_uuid(), created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at,
          half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience, confidence, importance,
          base_importance, emotional_valence, access_count, confirmation_count, version, type, sensitivity, layer,
          memory_kind, status, source_type, curve, deletion_policy, pinned, scope
        from records, generate_series(1, 10500) where id = ${root}::uuid
        returning id
      )
      insert into relations (source_id, predicate, target_id, weight, created_at)
      select id, 'derived_from', ${root}::uuid, 1, ${app.clock.now()}::timestamptz from child
      union all
      select ${root}::uuid, 'derives', id, 1, ${app.clock.now()}::timestamptz from child
    `.execute(app.db)
    const { nodes, edges } = await readLineage(app, root)
    expect([nodes.length, edges.length]).toEqual([10_000, 9_999])
  })

  it('returns the same complete tree from every record in it', async () => {
    const root = (await create(app, buildClaim('root'))).id
    const fork = await createRevision('fork', root, 'fork')
    const next = await createRevision('supersede', root, 'next')
    const other = await create(app, buildClaim('other'))
    const merged = ((await mergeRecords(app, [fork, next, other.id], buildClaim('merged'))).body as Body)
      .record.id
    const last = await createRevision('supersede', merged, 'last')
    const seen = await readLineage(app, root)
    expect(seen.nodes).toContainEqual({
      id: fork,
      type: 'semantic',
      status: 'merged',
      created_at: expect.stringMatching(/^2026-.*\.000Z$/),
    })
    expect(idsOf(seen).sort()).toEqual([root, fork, next, other.id, merged, last].sort())
    const edges = [
      [fork, 'derived_from', root],
      [next, 'supersedes', root],
      [merged, 'derived_from', fork],
      [merged, 'derived_from', next],
      [merged, 'derived_from', other.id],
      [last, 'supersedes', merged],
    ]
    expect(
      seen.edges.map(({ source_id, predicate, target_id }: Body) => [source_id, predicate, target_id]).sort(),
    ).toEqual(edges.sort())
    for (const id of idsOf(seen)) expect(await readLineage(app, id)).toEqual(seen)
  })

  it('leaves out the episodes that a fact was learned from', async () => {
    const episode = await create(app, { type: 'episodic', payload: payloads.episodic })
    const one = await create(app, buildClaim('one'))
    const another = await create(app, buildClaim('another'))
    await insertEdges(
      app,
      ['derived_from', 'derives'],
      [one, another].map(({ id }) => [id, episode.id]),
    )
    expect(idsOf(await readLineage(app, one.id))).toEqual([one.id])
    expect(await readLineage(app, episode.id)).toMatchObject({ nodes: [{ type: 'episodic' }], edges: [] })
  })

  it('reads hundreds of steps with two statements, from either end and from the middle', async () => {
    const ids = Array.from({ length: 300 }, () => app.ids.next())
    const records = ids.map((id, n) => buildClaim(`step ${n}`, { id }))
    const stored = await app.request('POST', '/v1/records/batch', { body: { records, atomic: true } })
    expect(stored.status).toBe(201)
    const steps = ids.slice(1).map((id, n) => [id, String(ids[n])] as const)
    await insertEdges(app, ['supersedes', 'superseded_by'], steps)
    const sessionEnder = createSessionEnder(app)
    for (const id of [ids[0], ids[150], ids[299]]) {
      const { result, statements } = await sessionEnder.count(() => readLineage(app, id ?? ''))
      // One statement finds the record under the trust of the caller, one reads the tree.
      expect(statements).toBe(2)
      expect(idsOf(result).sort()).toEqual(ids.toSorted())
      expect(result.edges).toHaveLength(299)
    }
  })

  it('continues through forgotten records and ends where the key does not see a record completely', async () => {
    const first = (await create(app, buildClaim('first', { scope: 'mine' }))).id
    const second = await createRevision('supersede', first, 'second')
    const third = await createRevision('supersede', second, 'third', { sensitivity: 'high' })
    const fourth = await createRevision('supersede', third, 'fourth')
    await forget(second)
    expect(idsOf(await readLineage(app, first))).toEqual([first, second, third, fourth])
    const key = await app.issueKey(['records:read'], { scopes: ['mine'], max_sensitivity: 'low' })
    for (const id of [first, second]) {
      const seen = await readLineage(app, id, { key })
      expect(idsOf(seen)).toEqual([first, second])
      expect(seen.edges).toHaveLength(1)
    }
    const near = await app.issueKey(['records:read'], { scopes: ['mine'], max_sensitivity: 'medium' })
    const ask = (key: string) => app.request('GET', `/v1/records/${third}/lineage`, { key: key })
    expectProblem(await ask(near), 403, 'above_ceiling')
    expectProblem(await ask(key), 404, 'record_not_found')
  })

  it('shows for purged and erased records what is left of them', async () => {
    const erased = (await create(app, buildClaim('erased'))).id
    const successor = await createRevision('supersede', erased, 'successor')
    await revise(app, 'erase', erased)
    expect(await readLineage(app, erased)).toMatchObject({
      nodes: [{ id: erased, type: 'semantic', status: 'superseded' }],
      edges: [],
    })
    expect(idsOf(await readLineage(app, successor))).toEqual([successor])
    await forget(successor)
    app.clock.advance(31 * 86_400_000)
    await purgeForgotten(app.db, app.clock.now(), 1_000)
    expect(await readLineage(app, successor)).toMatchObject({
      nodes: [{ id: successor, status: 'active' }],
      edges: [],
    })
  })
})
