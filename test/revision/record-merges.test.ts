import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, expectProblem, payloads, read } from '../support/requests/record-requests.ts'
import {
  auditFields,
  buildClaim,
  mergeRecords,
  readAuditLog,
  revise,
} from '../support/requests/revision-requests.ts'
import { insertEdges } from '../support/stores/insert-edges.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const link = (predicate: string, target: string, weight = 1) => ({ predicate, target_id: target, weight })
const edgesOf = (record: Body): [string, string, number][] =>
  record.relations.map((edge: Body) => [edge.predicate, edge.target_id, edge.weight])

async function createAll(bodies: readonly object[]): Promise<Body[]> {
  const { body } = await app.request('POST', '/v1/records/batch', { body: { records: bodies, atomic: true } })
  return (body as Body).results.map(({ record }: Body) => record)
}

describe('POST /v1/records/merge', () => {
  it('compares If-Match with the version of each source', async () => {
    const [one, two] = await createAll([buildClaim('wakes at 6'), buildClaim('wakes at six')])
    const merge = (etag: string) =>
      mergeRecords(app, [one.id, two.id], buildClaim('wakes at 6:00'), { headers: { 'if-match': etag } })
    await app.request('PATCH', `/v1/records/${two.id}`, { body: { tags: ['morning'] } })
    for (const etag of ['"99"', '"1"', '"2"', 'W/"1"'])
      expectProblem(await merge(etag), 412, 'version_mismatch')
    expect((await read(app, one.id)).status).toBe('active')
    expect((await merge('"2", "1"')).status).toBe(201)
  })

  it('makes one record of several, which become superseded history', async () => {
    const [one, two] = await createAll([
      buildClaim('is 1', {
        scope: 'team',
        sensitivity: 'public',
        tags: ['a', 'b'],
        provenance: { sources: [{ kind: 'event', ref: 'e1' }] },
      }),
      buildClaim('is one', {
        scope: 'team',
        sensitivity: 'high',
        tags: ['b', 'c'],
        lifecycle: { pinned: true },
        provenance: {
          sources: [
            { kind: 'event', ref: 'e1' },
            { kind: 'tool_call', ref: 't2' },
          ],
        },
      }),
    ])
    app.clock.advance(60_000)
    const record = buildClaim('is 1.0', { tags: ['own'] })
    const answer = await mergeRecords(app, [one.id, two.id, one.id.toUpperCase()], record)
    const { record: merged, sources } = answer.body as Body
    expect([answer.status, answer.headers.get('location'), answer.headers.get('etag')]).toEqual([
      201,
      `/v1/records/${merged.id}`,
      '"1"',
    ])
    expect(sources).toEqual([
      { id: one.id, version: 2 },
      { id: two.id, version: 2 },
    ])
    expect(merged).toMatchObject({
      scope: 'team',
      sensitivity: 'high',
      status: 'active',
      salience: 1,
      tags: ['own', 'a', 'b', 'c'],
      lifecycle: { pinned: false, decay: { half_life_seconds: 30 * 86_400 } },
      payload: { revision: { status: 'active' } },
      provenance: {
        sources: [
          { kind: 'event', ref: 'e1' },
          { kind: 'tool_call', ref: 't2' },
        ],
      },
    })
    expect(edgesOf(merged)).toEqual([one.id, two.id].sort().map((id) => ['derived_from', id, 1]))
    expect(await read(app, merged.id)).toEqual(merged)
    for (const { id } of [one, two]) {
      expect(await read(app, id)).toMatchObject({
        status: 'merged',
        salience: 0,
        version: 2,
        payload: { revision: { status: 'retracted' } },
      })
      expect((await readAuditLog(app, id)).at(-1)).toEqual([
        'merge',
        auditFields.actor,
        auditFields.rationale,
      ])
    }
    const refusal = expectProblem(await revise(app, 'retract', two.id), 409, 'already_superseded')
    expect(refusal.superseded_by).toBe(merged.id)
  })

  it('carries every edge from and to many records', async () => {
    const sources = await createAll(Array.from({ length: 12 }, (_, n) => buildClaim(`one of many ${n}`)))
    const [far] = await createAll([buildClaim('far')])
    const sourceIds = sources.map(({ id }) => id)
    const linked = await createAll(
      sourceIds.flatMap((id, n) => [
        buildClaim(`mentions ${n}`, { relations: [link('supports', id, 0.4), link('like', id)] }),
        buildClaim(`shared ${n}`, {
          relations: [link('like', id, n / 100), link('like', sourceIds[0], 0.1)].slice(n === 0 ? 1 : 0),
        }),
      ]),
    )
    await app.request('POST', `/v1/records/${sourceIds[7]}/relations`, { body: link('near', far.id, 0.2) })
    await app.request('POST', `/v1/records/${sourceIds[8]}/relations`, { body: link('near', far.id, 0.9) })
    const { body } = await mergeRecords(app, sourceIds, buildClaim('all in one'))
    const merged = (body as Body).record
    for (const [index, { id }] of linked.entries()) {
      const n = Math.floor(index / 2)
      const towards = edgesOf(await read(app, id)).filter(([, target]) => target === merged.id)
      const expected =
        index % 2 === 0
          ? [
              ['like', merged.id, 1],
              ['supports', merged.id, 0.4],
            ]
          : [['like', merged.id, Math.max(n / 100, 0.1)]]
      expect(towards.sort()).toEqual(expected)
    }
    const edges = edgesOf(merged)
    expect(
      edges
        .filter(([predicate]) => predicate === 'derived_from')
        .map(([, id]) => id)
        .sort(),
    ).toEqual(sourceIds.toSorted())
    const supporters = linked.filter((_, index) => index % 2 === 0).map(({ id }) => id)
    expect(edges.filter(([predicate]) => predicate === 'supported_by')).toEqual(
      expect.arrayContaining(supporters.map((id) => ['supported_by', id, 0.4])),
    )
    expect(edges.filter(([predicate]) => predicate === 'near')).toEqual([['near', far.id, 0.9]])
    expect(edges).toHaveLength(2 * sources.length + 1)
  })

  it('carries no edges between the sources and none to records derived from them', async () => {
    const [one, two] = await createAll([buildClaim('among 1'), buildClaim('among 2')])
    await app.request('POST', `/v1/records/${one.id}/relations`, { body: link('supports', two.id) })
    await app.request('POST', `/v1/records/${one.id}/relations`, { body: link('like', one.id) })
    const episode = await create(app, { type: 'episodic', payload: payloads.episodic })
    await insertEdges(app, ['derived_from', 'derives'], [[one.id, episode.id]])
    const fork = ((await revise(app, 'fork', two.id, { record: buildClaim('a fork') })).body as Body).record
    const merged = ((await mergeRecords(app, [one.id, two.id], buildClaim('both'))).body as Body).record
    expect(edgesOf(merged).sort()).toEqual(
      [one.id, two.id, episode.id].map((id) => ['derived_from', id, 1]).sort(),
    )
    expect(edgesOf(await read(app, fork.id))).toEqual([['derived_from', two.id, 1]])
    expect(edgesOf(await read(app, episode.id)).sort()).toEqual(
      [one.id, merged.id].map((id) => ['derives', id, 1]).sort(),
    )
  })

  it('moves entity identifiers to the merged record', async () => {
    const entity = (name: string, value: string) => ({
      type: 'entity',
      payload: { ...payloads.entity, canonical_name: name, identifiers: [{ namespace: 'git', value }] },
    })
    const [one, two] = await createAll([entity('Vega', 'v1'), entity('vega', 'v2')])
    const identifiers = ['v1', 'v2'].map((value) => ({ namespace: 'git', value }))
    const record = { type: 'entity', payload: { ...payloads.entity, canonical_name: 'Vega', identifiers } }
    const { status, body } = await mergeRecords(app, [one.id, two.id], record)
    expect(status).toBe(201)
    expect((body as Body).record.payload.identifiers).toEqual(identifiers)
  })

  it('keeps at most a hundred tags', async () => {
    const tagged = (from: number) => Array.from({ length: 80 }, (_, n) => `t${from + n}`)
    const [one, two] = await createAll([
      buildClaim('x', { tags: tagged(0) }),
      buildClaim('y', { tags: tagged(80) }),
    ])
    const { body } = await mergeRecords(app, [one.id, two.id], buildClaim('xy', { tags: ['own'] }))
    expect((body as Body).record.tags).toEqual(['own', ...tagged(0), ...tagged(80).slice(0, 19)])
  })
})

describe('POST /v1/records/merge is refused', () => {
  it('for fewer than two records', async () => {
    const { id } = await create(app, buildClaim('lonely'))
    for (const ids of [[], [id], [id, id], [id, id.toUpperCase()]]) {
      expectProblem(await mergeRecords(app, ids, buildClaim('x')), 422, 'validation_failed')
    }
  })

  it('across types and scopes', async () => {
    const [fact, foreign] = await createAll([
      buildClaim('a', { scope: 'team' }),
      buildClaim('b', { scope: 'other' }),
    ])
    const skill = await create(app, { type: 'competence', payload: payloads.competence, scope: 'team' })
    const types = expectProblem(
      await mergeRecords(app, [fact.id, skill.id], buildClaim('x')),
      409,
      'type_mismatch',
    )
    const scopes = expectProblem(
      await mergeRecords(app, [fact.id, foreign.id], buildClaim('x')),
      422,
      'scope_mismatch',
    )
    expect([types, scopes].map(({ errors }) => errors[0].pointer)).toEqual(['/ids/1', '/ids/1'])
    const [other] = await createAll([buildClaim('c', { scope: 'team' })])
    const elsewhere = buildClaim('x', { scope: 'other' })
    expectProblem(await mergeRecords(app, [fact.id, other.id], elsewhere), 422, 'scope_mismatch')
  })

  it('when one record cannot be merged, and then none is', async () => {
    const [one, two] = await createAll([buildClaim('1'), buildClaim('2')])
    const missing = await mergeRecords(app, [one.id, '0197b9a0-0000-7000-8000-00000000ffff'], buildClaim('x'))
    expect(expectProblem(missing, 404, 'record_not_found').errors[0].pointer).toBe('/ids/1')
    await revise(app, 'retract', two.id)
    expectProblem(await mergeRecords(app, [one.id, two.id], buildClaim('x')), 409, 'already_retracted')
    const episode = await create(app, { type: 'episodic', payload: payloads.episodic })
    expectProblem(await mergeRecords(app, [one.id, episode.id], buildClaim('x')), 409, 'episodic_immutable')
    expect(await read(app, one.id)).toEqual(one)
  })
})
