import { afterAll, describe, expect, it } from 'vitest'
import { isLongRun } from '../support/long-run.ts'
import {
  auditFields,
  createMention,
  entity,
  listEntitiesNamed,
  listRecordsAbout,
  mergeEntities,
} from '../support/requests/entity-requests.ts'
import { type Body, create, expectProblem, read } from '../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the merging tests' } })
afterAll(() => app.close())

const merge = (id: string, sourceIds: readonly string[], options: RequestOptions = {}) =>
  mergeEntities(app, id, sourceIds, options)
const idsOf = (term: string) => listEntitiesNamed(app, term)
const recordsOf = (id: string) => listRecordsAbout(app, id)

describe('POST /v1/entities/{id}/merge', () => {
  it('adds the names, types, identifiers and sources of the merged entities to the target', async () => {
    const source = (ref: string) => ({ provenance: { sources: [{ kind: 'event', ref }] } })
    const target = await create(
      app,
      entity(
        'Orion',
        {
          types: ['Repository'],
          aliases: ['the hunter'],
          identifiers: [{ namespace: 'git', value: 'orion' }],
        },
        { tags: ['a', 'b'], ...source('one') },
      ),
    )
    const orionCopy = await create(
      app,
      entity(
        'ORION ',
        {
          primary_type: 'Service',
          types: ['Repository', 'API'],
          summary: 'What it does.',
          aliases: ['The Hunter', { value: 'O.', kind: 'short' }],
          identifiers: [{ namespace: 'jira', value: 'ORI' }],
        },
        { tags: ['b', 'c'], ...source('two') },
      ),
    )
    const other = await create(app, entity('Alnitak', { aliases: ['o.'] }, source('one')))
    app.clock.advance(1_000)
    const answer = await merge(target.id, [orionCopy.id.toUpperCase(), other.id, orionCopy.id])
    expect(answer.status).toBe(200)
    expect(answer.headers.get('etag')).toBe('"2"')
    expect(answer.body).toMatchObject({
      id: target.id,
      version: 2,
      salience: expect.closeTo(1, 4),
      tags: ['a', 'b', 'c'],
      payload: {
        canonical_name: 'Orion',
        primary_type: 'Project',
        types: ['Repository', 'Service', 'API'],
        aliases: [{ value: 'the hunter' }, { value: 'O.', kind: 'short' }, { value: 'Alnitak' }],
        identifiers: [
          { namespace: 'git', value: 'orion' },
          { namespace: 'jira', value: 'ORI' },
        ],
        summary: 'What it does.',
      },
      provenance: { sources: [{ ref: 'one' }, { ref: 'two' }] },
    })
    const merged = answer.body as Body
    expect(merged.audit_log.at(-1)).toMatchObject({
      action: 'revise',
      ...auditFields,
      changes: {
        merged: [[], [orionCopy.id, other.id]],
        tags: [
          ['a', 'b'],
          ['a', 'b', 'c'],
        ],
      },
    })
    expect(await read(app, target.id)).toEqual(merged)
    for (const id of [orionCopy.id, other.id]) {
      const history = await read(app, id)
      expect(history).toMatchObject({ status: 'merged', salience: 0, version: 2 })
      expect(history.audit_log.at(-1)).toMatchObject({
        action: 'merge',
        ...auditFields,
        changes: { status: ['active', 'merged'], salience: [expect.any(Number), 0] },
      })
      expect(history.relations).toContainEqual(
        expect.objectContaining({ predicate: 'superseded_by', target_id: target.id }),
      )
      const { body } = await app.request('GET', `/v1/records/${id}/status-history`)
      expect((body as Body).items).toMatchObject([{ old: 'active', new: 'merged', step: 'merge' }])
    }
  })

  it('resolves every old name and identifier to the target', async () => {
    const source = await create(
      app,
      entity('Ursa', { aliases: ['bear'], identifiers: [{ namespace: 'git', value: 'ursa/major' }] }),
    )
    const target = await create(app, entity('Great Bear'))
    await merge(target.id, [source.id])
    for (const term of ['ursa', 'BEAR', 'great bear', 'ursa/major', 'git:ursa/major']) {
      expect([term, await idsOf(term)]).toEqual([term, [target.id]])
    }
    const taken = entity('Another', { identifiers: [{ namespace: 'git', value: 'ursa/major' }] })
    expectProblem(await app.request('POST', '/v1/records', { body: taken }), 409, 'identifier_taken')
    const evidence = { source: 'agent', content: { project: 'BEAR' } }
    const { primary_record: primary } = (await app.request('POST', '/v1/capture', { body: evidence }))
      .body as Body
    expect(await recordsOf(target.id)).toEqual([primary.id])
    const lower = { aliases: [], identifiers: [] }
    const patch = await app.request('PATCH', `/v1/records/${target.id}`, { body: { payload: lower } })
    expect(patch.status).toBe(200)
    expect(await idsOf('bear')).toEqual([])
  })

  it('moves edges from and to the merged entities', async () => {
    const target = await create(app, entity('Carina'))
    const far = await create(app, entity('Keel'))
    const source = await create(
      app,
      entity('Argo', {}, { relations: [{ predicate: 'uses', target_id: far.id }] }),
    )
    const mentioned = await createMention(app, source.id)
    const subject = await createMention(app, source.id, 'subject_entity')
    const both = await createMention(app, target.id)
    const weak = { predicate: 'mentions_entity', target_id: source.id, weight: 0.5 }
    await app.request('POST', `/v1/records/${both.id}/relations`, { body: weak })
    const { body } = await merge(target.id, [source.id])
    const edges = (body as Body).relations.map((edge: Body) => [edge.predicate, edge.target_id, edge.weight])
    for (const edge of [
      ['uses', far.id, 1],
      ['mentioned_in', mentioned.id, 1],
      ['fact_subject_of', subject.id, 1],
      ['mentioned_in', both.id, 1],
      ['supersedes', source.id, 1],
    ]) {
      expect(edges).toContainEqual(edge)
    }
    expect(edges).toHaveLength(5)
    expect((await recordsOf(target.id)).sort()).toEqual([mentioned.id, subject.id, both.id].sort())
    expect((await read(app, mentioned.id)).relations).toContainEqual(
      expect.objectContaining({ predicate: 'mentions_entity', target_id: target.id }),
    )
    const { nodes } = (await app.request('GET', `/v1/records/${target.id}/lineage`)).body as Body
    expect(nodes.map(({ id }: Body) => id).sort()).toEqual([target.id, source.id].sort())
  })

  it('keeps the target when a merged entity is erased', async () => {
    const target = await create(app, entity('Corvus'))
    const source = await create(app, entity('Crow'))
    await merge(target.id, [source.id])
    expect((await app.request('POST', `/v1/records/${source.id}/erase`, { body: auditFields })).status).toBe(
      200,
    )
    expect(await read(app, target.id)).toMatchObject({ status: 'active' })
  })

  it('follows several merges, and a merged entity names its current target', async () => {
    const one = await create(app, entity('Mizar'))
    const two = await create(app, entity('Alcor'))
    const three = await create(app, entity('Zeta'))
    const record = await createMention(app, one.id)
    await merge(two.id, [one.id])
    const again = expectProblem(await merge(two.id, [one.id]), 409, 'already_superseded')
    expect(again).toMatchObject({ superseded_by: two.id, errors: [{ pointer: '/source_ids/0' }] })
    expectProblem(await merge(one.id, [three.id]), 409, 'already_superseded')
    await merge(three.id, [two.id])
    expect(await idsOf('mizar')).toEqual([three.id])
    expect(await recordsOf(three.id)).toEqual([record.id])
  })

  it('takes effect once under an Idempotency-Key, at the version in If-Match', async () => {
    const target = await create(app, entity('Hydra'))
    const source = await create(app, entity('Snake'))
    expectProblem(
      await merge(target.id, [source.id], { headers: { 'if-match': '"2"' } }),
      412,
      'version_mismatch',
    )
    const headers = { 'idempotency-key': `merge-${target.id}`, 'if-match': '"1"' }
    const first = await merge(target.id, [source.id], { headers })
    expect(first.status).toBe(200)
    const replayed = await merge(target.id, [source.id], { headers })
    expect(replayed.headers.get('idempotency-replayed')).toBe('true')
    expect(replayed.body).toEqual(first.body)
    expect((await read(app, target.id)).version).toBe(2)
  })

  it('merges many entities with thousands of names at once', async () => {
    const last = isLongRun ? 999 : 99
    const bodies = Array.from({ length: last + 1 }, (_, index) =>
      entity(`Star ${index}`, {
        aliases: Array.from({ length: 20 }, (_each, alias) => `s-${index}-${alias}`),
        identifiers: [{ namespace: 'hip', value: String(index) }],
      }),
    )
    const { body } = await app.request('POST', '/v1/records/batch', { body: { records: bodies } })
    const ids: string[] = (body as Body).results.map((result: Body) => result.record.id)
    const target = await create(app, entity('Milky Way'))
    expect((await merge(target.id, ids)).status).toBe(200)
    expect(await idsOf(`s-${last}-19`)).toEqual([target.id])
    expect(await idsOf('hip:50')).toEqual([target.id])
  }, 120_000)
})
