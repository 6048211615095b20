import { afterAll, describe, expect, it } from 'vitest'
import {
  type Body,
  create,
  expectProblem,
  payloads,
  read,
  type Type,
} from '../support/requests/record-requests.ts'
import {
  auditFields,
  buildClaim,
  buildPlain,
  readAuditLog,
  revise,
  successors,
} from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the revising tests' } })
afterAll(() => app.close())

const durable: Type[] = ['semantic', 'entity', 'competence', 'plan_graph']

describe('POST /v1/records/{id}/supersede', () => {
  it('makes the old record history and links the new one to it', async () => {
    const old = await create(app, buildClaim('Go', { scope: 'team', sensitivity: 'medium' }))
    app.clock.advance(60_000)
    const { status, body, headers } = await revise(app, 'supersede', old.id, { record: buildClaim('Zig') })
    const { record, sources } = body as Body
    expect([status, headers.get('location'), headers.get('etag')]).toEqual([
      201,
      `/v1/records/${record.id}`,
      '"1"',
    ])
    expect(sources).toEqual([{ id: old.id, version: 2 }])
    expect(record).toMatchObject({
      scope: 'team',
      sensitivity: 'medium',
      status: 'active',
      salience: 1,
      lifecycle: { decay: { half_life_seconds: 30 * 86_400, reinforcement_gain: 0.1 } },
      payload: { object: 'Zig', revision: { supersedes: old.id, status: 'active' } },
      provenance: { sources: [{ kind: 'event', ref: `record:${old.id}` }] },
      relations: [{ predicate: 'supersedes', target_id: old.id }],
    })
    expect(await read(app, record.id)).toEqual(record)
    expect(await read(app, old.id)).toMatchObject({
      salience: 0,
      status: 'superseded',
      version: 2,
      updated_at: app.clock.now().toISOString(),
      payload: { object: 'Go', revision: { status: 'retracted', superseded_by: record.id } },
      relations: [{ predicate: 'superseded_by', target_id: record.id }],
    })
    const { actor, rationale } = auditFields
    expect(await readAuditLog(app, old.id)).toEqual([
      ['create', 'root', 'created'],
      ['revise', actor, rationale],
    ])
    expect(await readAuditLog(app, record.id)).toEqual([['create', actor, rationale]])
    const history = (await app.request('GET', `/v1/records/${old.id}/status-history`)).body as Body
    expect(history.items).toMatchObject([
      { old: 'active', new: 'superseded', step: 'supersede', actor, reason: rationale },
    ])
  })

  it.each(durable)('works for a record of type %s', async (type) => {
    const old = await create(app, buildPlain(type))
    const { status, body } = await revise(app, 'supersede', old.id, { record: successors[type] })
    expect(status).toBe(201)
    expect((body as Body).record.type).toBe(type)
    expect(await read(app, old.id)).toMatchObject({ status: 'superseded', salience: 0 })
  })

  it('moves the identifiers of an entity to its successor', async () => {
    const identifiers = [{ namespace: 'git', value: 'orion.git' }]
    const body = buildPlain('entity', { payload: { ...payloads.entity, identifiers } })
    const old = await create(app, body)
    expectProblem(await revise(app, 'fork', old.id, { record: body }), 409, 'identifier_taken')
    const { status, body: successor } = await revise(app, 'supersede', old.id, { record: body })
    expect(status).toBe(201)
    expect((await app.request('PATCH', `/v1/records/${old.id}`, { body: { tags: ['old'] } })).status).toBe(
      200,
    )
    const found = await app.db.selectFrom('entity_identifiers').select('record_id').execute()
    expect(found.map(({ record_id: id }) => id)).toEqual([(successor as Body).record.id])
  })

  it.each(['supersede', 'fork'])('%s keeps the tags unless the request names tags', async (call) => {
    const tags = ['deploy', 'shop']
    for (const [given, expected] of [
      [{}, tags],
      [{ tags: [] }, []],
      [{ tags: ['own'] }, ['own']],
    ]) {
      const old = await create(app, buildClaim('Go', { tags }))
      const { body } = await revise(app, call, old.id, { record: buildClaim('Zig', given) })
      expect((body as Body).record.tags).toEqual(expected)
    }
  })

  it('stores the fields of the new record as given', async () => {
    const old = await create(app, buildClaim('Go'))
    const record = buildClaim('Nim', {
      id: '0197b9a0-0000-4000-8000-00000000AAAA',
      sensitivity: 'high',
      tags: ['own'],
      salience: 0.5,
      lifecycle: { decay: { half_life_seconds: 60 } },
      provenance: { sources: [{ kind: 'tool_call', ref: 'call-1' }], created_by: 'ada' },
      relations: [
        {
          predicate: 'supersedes',
          target_id: old.id.toUpperCase(),
          weight: 0.5,
          created_at: '2020-01-01T00:00:00.000Z',
        },
      ],
    })
    const { body } = await revise(app, 'supersede', old.id, { record })
    expect((body as Body).record).toMatchObject({
      id: '0197b9a0-0000-4000-8000-00000000aaaa',
      sensitivity: 'high',
      tags: ['own'],
      salience: 0.5,
      lifecycle: { decay: { half_life_seconds: 60, reinforcement_gain: 0.1 } },
      provenance: {
        sources: [
          { kind: 'tool_call', ref: 'call-1' },
          { kind: 'event', ref: `record:${old.id}` },
        ],
        created_by: 'ada',
      },
    })
    expect((body as Body).record.relations).toEqual([
      { predicate: 'supersedes', target_id: old.id, weight: 0.5, created_at: app.clock.now().toISOString() },
    ])
    const again = expectProblem(await revise(app, 'retract', old.id), 409, 'already_superseded')
    expect(again.superseded_by).toBe((body as Body).record.id)
  })

  it('leaves a pinned record pinned with salience 0', async () => {
    const old = await create(app, buildClaim('pinned', { lifecycle: { pinned: true } }))
    await revise(app, 'supersede', old.id, { record: buildClaim('unpinned') })
    app.clock.advance(86_400_000)
    expect(await read(app, old.id)).toMatchObject({ salience: 0, lifecycle: { pinned: true } })
  })
})

describe('POST /v1/records/{id}/fork', () => {
  it('leaves both records active, with the new one derived from the other', async () => {
    const origin = await create(app, buildClaim('tabs', { scope: 'team' }))
    const validity = { mode: 'conditional', conditions: { language: 'make' } }
    const input = buildClaim('spaces')
    const record = { ...input, payload: { ...input.payload, validity } }
    const { status, body, headers } = await revise(app, 'fork', origin.id, { record })
    expect([status, headers.get('etag')]).toEqual([201, '"1"'])
    const { record: fork, sources } = body as Body
    expect(sources).toEqual([{ id: origin.id, version: 2 }])
    expect(fork).toMatchObject({
      scope: 'team',
      status: 'active',
      payload: { validity, revision: { status: 'active' } },
      relations: [{ predicate: 'derived_from', target_id: origin.id }],
    })
    expect(await read(app, origin.id)).toMatchObject({
      status: 'active',
      salience: 1,
      version: 2,
      relations: [{ predicate: 'derives', target_id: fork.id }],
    })
    expect((await readAuditLog(app, origin.id)).at(-1)).toEqual([
      'fork',
      auditFields.actor,
      auditFields.rationale,
    ])
  })
})
