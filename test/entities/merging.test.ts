import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keepEntities } from '../../src/entities/index.ts'
import { type Asked, startTestApp, type TestApp } from '../support/http.ts'
import { type Body, create, expectProblem, fact, payloads, read } from '../support/records.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the merging tests' } })
})
afterAll(() => app.close())

const told = { actor: 'curator', rationale: 'one thing under two names' }
const entity = (name: string, more: object = {}, outside: object = {}) => ({
  ...{ type: 'entity', ...outside },
  payload: { kind: 'entity', canonical_name: name, primary_type: 'Project', ...more },
})
const merge = (id: string, sourceIds: readonly string[], asked: Asked = {}) =>
  app.request('POST', `/v1/entities/${id}/merge`, { ...asked, body: { source_ids: sourceIds, ...told } })
const idsOf = async (term: string): Promise<string[]> => {
  const { body } = await app.request('GET', `/v1/entities?term=${encodeURIComponent(term)}`)
  return (body as Body).items.map(({ id }: Body) => id)
}
const mention = (id: string, predicate = 'mentions_entity', more: object = {}) =>
  create(app, fact({ relations: [{ predicate, target_id: id }], ...more }))
const recordsOf = async (id: string): Promise<string[]> =>
  ((await app.request('GET', `/v1/entities/${id}/records?limit=500`)).body as Body).items.map(
    (item: Body) => item.id,
  )
const setStatus = (id: string, status: string) =>
  app.request('POST', `/v1/records/${id}/status`, { body: { status, reason: 'r', actor: 'a' } })

describe('merging entities', () => {
  it('gives the target all that its twins were called, were, had and came from', async () => {
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
    const twin = await create(
      app,
      entity(
        'ORION ',
        {
          ...{ primary_type: 'Service', types: ['Repository', 'API'], summary: 'What it does.' },
          ...{ aliases: ['The Hunter', { value: 'O.', kind: 'short' }] },
          identifiers: [{ namespace: 'jira', value: 'ORI' }],
        },
        { tags: ['b', 'c'], ...source('two') },
      ),
    )
    const other = await create(app, entity('Alnitak', { aliases: ['o.'] }, source('one')))
    app.clock.advance(1_000)
    const answer = await merge(target.id, [twin.id.toUpperCase(), other.id, twin.id])
    expect(answer.status).toBe(200)
    expect(answer.headers.get('etag')).toBe('"2"')
    expect(answer.body).toMatchObject({
      ...{ id: target.id, version: 2, salience: expect.closeTo(1, 4), tags: ['a', 'b', 'c'] },
      payload: {
        ...{ canonical_name: 'Orion', primary_type: 'Project', types: ['Repository', 'Service', 'API'] },
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
      ...{ action: 'revise', ...told },
      changes: {
        merged: [[], [twin.id, other.id]],
        tags: [
          ['a', 'b'],
          ['a', 'b', 'c'],
        ],
      },
    })
    expect(await read(app, target.id)).toEqual(merged)
    for (const id of [twin.id, other.id]) {
      const history = await read(app, id)
      expect(history).toMatchObject({ status: 'merged', salience: 0, version: 2 })
      expect(history.audit_log.at(-1)).toMatchObject({
        ...{ action: 'merge', ...told },
        changes: { status: ['active', 'merged'], salience: [expect.any(Number), 0] },
      })
      expect(history.relations).toContainEqual(
        expect.objectContaining({ predicate: 'superseded_by', target_id: target.id }),
      )
      const { body } = await app.request('GET', `/v1/records/${id}/status-history`)
      expect((body as Body).items).toMatchObject([{ old: 'active', new: 'merged', step: 'merge' }])
    }
  })

  it('makes every old name the target’s, and the identifiers too', async () => {
    const twin = await create(
      app,
      entity('Ursa', { aliases: ['bear'], identifiers: [{ namespace: 'git', value: 'ursa/major' }] }),
    )
    const target = await create(app, entity('Great Bear'))
    await merge(target.id, [twin.id])
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

  it('carries over what linked to them and what they linked to', async () => {
    const target = await create(app, entity('Carina'))
    const far = await create(app, entity('Keel'))
    const twin = await create(
      app,
      entity('Argo', {}, { relations: [{ predicate: 'uses', target_id: far.id }] }),
    )
    const [mentioned, subject, both] = [
      await mention(twin.id),
      await mention(twin.id, 'subject_entity'),
      await mention(target.id),
    ]
    const weak = { predicate: 'mentions_entity', target_id: twin.id, weight: 0.5 }
    await app.request('POST', `/v1/records/${both.id}/relations`, { body: weak })
    const { body } = await merge(target.id, [twin.id])
    const edges = (body as Body).relations.map((edge: Body) => [edge.predicate, edge.target_id, edge.weight])
    for (const edge of [
      ['uses', far.id, 1],
      ['mentioned_in', mentioned.id, 1],
      ['fact_subject_of', subject.id, 1],
      ['mentioned_in', both.id, 1],
      ['supersedes', twin.id, 1],
    ]) {
      expect(edges).toContainEqual(edge)
    }
    expect(edges).toHaveLength(5)
    expect((await recordsOf(target.id)).sort()).toEqual([mentioned.id, subject.id, both.id].sort())
    expect((await read(app, mentioned.id)).relations).toContainEqual(
      expect.objectContaining({ predicate: 'mentions_entity', target_id: target.id }),
    )
    const { nodes } = (await app.request('GET', `/v1/records/${target.id}/lineage`)).body as Body
    expect(nodes.map(({ id }: Body) => id).sort()).toEqual([target.id, twin.id].sort())
  })

  it('keeps the target when a twin that it took over is erased', async () => {
    const [target, twin] = [await create(app, entity('Corvus')), await create(app, entity('Crow'))]
    await merge(target.id, [twin.id])
    expect((await app.request('POST', `/v1/records/${twin.id}/erase`, { body: told })).status).toBe(200)
    expect(await read(app, target.id)).toMatchObject({ status: 'active' })
  })

  it('goes on from twin to twin, and says of what was merged what it is now', async () => {
    const [one, two, three] = [
      await create(app, entity('Mizar')),
      await create(app, entity('Alcor')),
      await create(app, entity('Zeta')),
    ]
    const record = await mention(one.id)
    await merge(two.id, [one.id])
    const again = expectProblem(await merge(two.id, [one.id]), 409, 'already_superseded')
    expect(again).toMatchObject({ superseded_by: two.id, errors: [{ pointer: '/source_ids/0' }] })
    expectProblem(await merge(one.id, [three.id]), 409, 'already_superseded')
    await merge(three.id, [two.id])
    expect(await idsOf('mizar')).toEqual([three.id])
    expect(await recordsOf(three.id)).toEqual([record.id])
  })

  it('happens once for all the times that a request is sent, and under the version it names', async () => {
    const [target, twin] = [await create(app, entity('Hydra')), await create(app, entity('Snake'))]
    expectProblem(
      await merge(target.id, [twin.id], { headers: { 'if-match': '"2"' } }),
      412,
      'version_mismatch',
    )
    const headers = { 'idempotency-key': `merge-${target.id}`, 'if-match': '"1"' }
    const first = await merge(target.id, [twin.id], { headers })
    expect(first.status).toBe(200)
    const replayed = await merge(target.id, [twin.id], { headers })
    expect(replayed.headers.get('idempotency-replayed')).toBe('true')
    expect(replayed.body).toEqual(first.body)
    expect((await read(app, target.id)).version).toBe(2)
  })

  it('takes entities of one scope, no more sensitive than the target, that still stand', async () => {
    const target = await create(app, entity('Lepus', {}, { scope: 'sky' }))
    const twin = async (outside: object = {}) =>
      (await create(app, entity('Hare', {}, { scope: 'sky', ...outside }))).id
    const other = await create(app, fact({ scope: 'sky' }))
    const episode = await create(app, { type: 'episodic', payload: payloads.episodic, scope: 'sky' })
    const good = await twin()
    for (const stray of [other, episode]) {
      const refused = expectProblem(await merge(target.id, [good, stray.id]), 409, 'type_mismatch')
      expect(refused.errors[0].pointer).toBe('/source_ids/1')
      expectProblem(await merge(stray.id, [good]), 409, 'type_mismatch')
    }
    for (const scope of ['elsewhere', undefined]) {
      const { id } = await create(app, entity('Hare', {}, scope === undefined ? {} : { scope }))
      expectProblem(await merge(target.id, [good, id]), 422, 'scope_mismatch')
    }
    const retracted = await twin()
    await setStatus(retracted, 'invalidated')
    expectProblem(await merge(target.id, [good, retracted]), 409, 'already_retracted')
    expectProblem(await merge(retracted, [good]), 409, 'already_retracted')
    const key = await app.issueKey(['records:read', 'records:write'], { max_sensitivity: 'medium' })
    const medium = await twin({ sensitivity: 'medium' })
    expectProblem(await merge(target.id, [good, medium], { key }), 422, 'sensitivity_lowered')
    expectProblem(await merge(target.id, [good, target.id]), 422, 'validation_failed')
    expectProblem(await merge(target.id, []), 422, 'validation_failed')
    expect(await read(app, target.id)).toEqual(target)
    expect(await read(app, good)).toMatchObject({ status: 'active', version: 1 })
    expect((await merge(target.id, [good, medium])).status).toBe(200)
  })

  it('takes what the key may see and change', async () => {
    const permissions = ['records:read', 'records:write'] as const
    const [reader, writer, low] = await Promise.all([
      app.issueKey(['records:read', 'lifecycle:write']),
      app.issueKey(['records:write'], { scopes: ['sky'] }),
      app.issueKey(permissions, { scopes: ['sky'], max_sensitivity: 'low' }),
    ])
    const make = async (name: string, outside: object) => (await create(app, entity(name, {}, outside))).id
    const target = await make('Grus', { scope: 'sky' })
    const twin = await make('Crane', { scope: 'sky' })
    const hidden = await make('Crane', { scope: 'elsewhere' })
    const above = await make('Crane', { scope: 'sky', sensitivity: 'medium' })
    const gone = await make('Crane', { scope: 'sky' })
    await app.request('DELETE', `/v1/records/${gone}?actor=a&rationale=r`)
    expectProblem(await merge(target, [twin], { key: reader }), 403, 'forbidden')
    expectProblem(await merge(target, [twin, hidden], { key: low }), 404, 'record_not_found')
    expectProblem(await merge(hidden, [twin], { key: low }), 404, 'record_not_found')
    expectProblem(await merge(target, [twin, app.ids.next()]), 404, 'record_not_found')
    expectProblem(await merge(target, [twin, above], { key: low }), 403, 'above_ceiling')
    expectProblem(await merge(target, [twin, gone]), 410, 'record_forgotten')
    expect((await merge(target, [twin], { key: writer })).body).toEqual({ id: target, version: 2 })
  })

  it('of a thousand with thousands of names is one merge', async () => {
    const bodies = Array.from({ length: 1_000 }, (_, index) =>
      entity(`Star ${index}`, {
        aliases: Array.from({ length: 20 }, (_each, alias) => `s-${index}-${alias}`),
        identifiers: [{ namespace: 'hip', value: String(index) }],
      }),
    )
    const { body } = await app.request('POST', '/v1/records/batch', { body: { records: bodies } })
    const ids: string[] = (body as Body).results.map((result: Body) => result.record.id)
    const target = await create(app, entity('Milky Way'))
    expect((await merge(target.id, ids)).status).toBe(200)
    expect(await idsOf('s-999-19')).toEqual([target.id])
    expect(await idsOf('hip:500')).toEqual([target.id])
  })
})

describe('merges at once', () => {
  it('of overlapping sets fold each entity once, and lose no link', async () => {
    const entities = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => (await create(app, entity(`Twin ${index}`))).id),
    )
    const links: Record<string, string> = {}
    for (const id of entities) links[id] = (await mention(id)).id
    const at = (index: number): string => entities[index % entities.length] ?? ''
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        merge(at(index), [at(index + 1), at(index + 5), at(index + 7)]),
      ),
    )
    for (const { status, body } of answers) expect([200, 409], JSON.stringify(body)).toContain(status)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    const standing = new Set<string>()
    for (const [index, id] of entities.entries()) {
      const [holder = '', ...others] = await idsOf(`twin ${index}`)
      expect(others).toEqual([])
      expect(await recordsOf(holder)).toContain(links[id])
      standing.add(holder)
    }
    for (const id of standing) expect((await read(app, id)).status).toBe('active')
  })

  const say = (index: number, object: string) => ({ subject: `user ${index}`, predicate: 'works on', object })
  const factOf = (body: unknown) =>
    (body as Body).created_records.find((record: Body) => record.type === 'semantic')

  it('lose nothing that is being captured about a twin', async () => {
    for (let round = 0; round < 8; round++) {
      const target = await create(app, entity(`Target ${round}`))
      const twin = await create(app, entity(`Source ${round}`, { aliases: [`alias ${round}`] }))
      const [merged, ...captured] = await Promise.all([
        merge(target.id, [twin.id]),
        ...Array.from({ length: 8 }, (_, index) => {
          const about = index % 2 ? { project: `Alias ${round}` } : say(index, `alias ${round}`)
          return app.request('POST', '/v1/capture', {
            body: { source: `agent ${index}`, content: { ...about, step: index } },
          })
        }),
      ])
      expect(merged?.status).toBe(200)
      for (const { status } of captured) expect(status).toBe(201)
      const ids = captured.map(({ body }, index) =>
        index % 2 ? (body as Body).primary_record.id : factOf(body).id,
      )
      expect((await recordsOf(target.id)).sort()).toEqual(ids.sort())
    }
  })

  it('wait for whoever keeps a twin to link to it, and carry the link over', async () => {
    const [target, twin] = [await create(app, entity('Pavo')), await create(app, entity('Peacock'))]
    const record = await create(app, fact())
    let merging: ReturnType<typeof merge> | undefined
    await app.db.transaction().execute(async (tx) => {
      expect(await keepEntities(tx, [twin.id])).toEqual(new Set([twin.id]))
      merging = merge(target.id, [twin.id])
      await new Promise((done) => setTimeout(done, 100))
      const edge = { weight: 1, created_at: app.clock.now() }
      const [from, to] = [record.id, twin.id]
      await tx
        .insertInto('relations')
        .values([
          { source_id: from, predicate: 'mentions_entity', target_id: to, ...edge },
          { source_id: to, predicate: 'mentioned_in', target_id: from, ...edge },
        ])
        .execute()
    })
    expect((await merging)?.status).toBe(200)
    expect(await recordsOf(target.id)).toEqual([record.id])
    await app.db.transaction().execute(async (tx) => {
      expect(await keepEntities(tx, [target.id, twin.id])).toEqual(new Set([target.id]))
    })
  })
})
