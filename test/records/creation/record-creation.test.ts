import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, fact, payloads, read, type Type } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

describe('POST /v1/records', () => {
  it('answers the complete record with its location and version, and a read returns the same', async () => {
    const body = fact({ tags: ['b', 'a', 'b'], scope: 'team' })
    const answer = await app.request('POST', '/v1/records', { body })
    expect(answer.status).toBe(201)
    const record = answer.body as Body
    expect(answer.headers.get('location')).toBe(`/v1/records/${record.id}`)
    expect(answer.headers.get('etag')).toBe('"1"')
    expect(record).toMatchObject({
      type: 'semantic',
      sensitivity: 'low',
      confidence: 1,
      salience: 1,
      scope: 'team',
      tags: ['b', 'a'],
      version: 1,
      layer: 'semantic',
      memory_kind: 'fact',
      status: 'active',
      source_type: 'human',
      base_importance: expect.closeTo(0.43, 1),
      access_count: 0,
      lifecycle: {
        decay: {
          curve: 'exponential',
          half_life_seconds: 2_592_000,
          min_salience: 0,
          max_age_seconds: 0,
          reinforcement_gain: 0.1,
          max_salience: 1,
        },
        pinned: false,
        deletion_policy: 'auto_prune',
      },
      provenance: { sources: [{ kind: 'event', ref: 'api:root' }] },
      audit_log: [{ action: 'create', actor: 'root' }],
    })
    expect(await read(app, record.id)).toEqual(record)
  })

  it('creates a record of each type with its smallest payload', async () => {
    for (const type of Object.keys(payloads) as Type[]) {
      const record = await create(app, { type, payload: payloads[type] })
      expect(record.payload).toMatchObject(payloads[type])
      expect(await read(app, record.id)).toEqual(record)
    }
  })

  it('stores every field of the request', async () => {
    const target = await create(app, fact())
    const body = {
      id: '0B9F3A52-7C1D-4E0F-9A6B-2D3C4E5F6A7B',
      type: 'episodic',
      sensitivity: 'high',
      confidence: 0,
      salience: 3.5,
      scope: 'p',
      tags: [],
      created_at: '2025-01-15T10:00:00Z',
      lifecycle: {
        decay: {
          curve: 'huber',
          half_life_seconds: 3_600,
          min_salience: 0.25,
          max_age_seconds: 0,
          reinforcement_gain: 0.2,
          max_salience: null,
        },
        last_reinforced_at: '2026-03-28T09:30:00.000Z',
        pinned: true,
        deletion_policy: 'never',
      },
      provenance: {
        created_by: 'classifier',
        sources: [
          { kind: 'tool_call', ref: 'r', hash: 'h', created_by: 'a', timestamp: '2025-01-15T10:00:00Z' },
        ],
      },
      relations: [
        { predicate: 'likes', target_id: target.id, weight: 0, created_at: '2025-01-15T10:00:00Z' },
      ],
      payload: {
        kind: 'episodic',
        timeline: [{ t: '2025-01-15T10:00:00Z', event_kind: 'deploy', ref: 'x', summary: 's' }],
        tool_graph: [{ id: '1', tool: 'grep', args: [1, null], result: { a: 'b' }, depends_on: ['0'] }],
        environment: { os: 'linux', tool_versions: { node: '24' }, context: { any: ['thing'] } },
        outcome: 'partial',
        artifacts: ['a.txt'],
        tool_graph_ref: 'g',
      },
      interpretation: {
        status: 'tentative',
        summary: 's',
        proposed_type: 'episodic',
        topical_labels: ['l'],
        mentions: [{ surface: 'x', entity_kind: 'Tool', confidence: 0.5, aliases: [] }],
        relation_candidates: [{ predicate: 'p', confidence: 0.5, resolved: false }],
        reference_candidates: [{ ref: 'r', confidence: 0.5, resolved: false }],
        extraction_confidence: 0.5,
      },
      base_importance: 1,
      emotional_valence: -1,
      layer: 'codebase',
      memory_kind: 'fact',
      source_type: 'dream',
    }
    const record = await create(app, body)
    expect(record).toMatchObject({
      ...body,
      id: body.id.toLowerCase(),
      created_at: '2025-01-15T10:00:00.000Z',
      relations: [{ ...body.relations[0], created_at: '2025-01-15T10:00:00.000Z' }],
    })
    expect(await read(app, record.id)).toEqual(record)
  })

  it('stores any JSON as the object of a fact', async () => {
    for (const object of [null, false, 0, '', [], [1, [2]], { a: { b: null } }, 1e-300, -0.5, 'ünïcødé 🦋']) {
      const record = await create(app, fact({ payload: { ...payloads.semantic, object } }))
      expect((await read(app, record.id)).payload.object).toEqual(object)
    }
  })

  it('stores the most extreme lifecycles that the schema allows', async () => {
    const lives = [
      { salience: 1_000, decay: { half_life_seconds: 1e11, max_age_seconds: 1e11, max_salience: null } },
      { salience: 1_000, decay: { half_life_seconds: 1, reinforcement_gain: 1_000 } },
      { salience: 5e-324, decay: { half_life_seconds: 1e11, max_salience: 5e-324 } },
      { salience: 0, decay: { min_salience: 1, max_age_seconds: 1 } },
    ]
    for (const curve of ['exponential', 'linear', 'custom', 'huber', 'elastic']) {
      for (const { salience, decay } of lives) {
        const times = { created_at: '0001-01-01T00:00:00Z', lifecycle: { decay: { curve, ...decay } } }
        for (const more of [times, { lifecycle: times.lifecycle }]) {
          const record = await create(app, fact({ salience, ...more }))
          expect(await read(app, record.id)).toEqual(record)
        }
      }
    }
  })

  it('computes importance at creation', async () => {
    const record = await create(app, fact({ layer: 'episodic', base_importance: 0.5 }))
    // The first of the importance vectors: a new episodic record from a human.
    expect(record.importance).toBeCloseTo(0.466_520_930_607_977_84, 12)
  })

  it('writes the inverse edge for a predicate that has one', async () => {
    const target = await create(app, fact())
    const source = await create(app, fact({ relations: [{ predicate: 'supports', target_id: target.id }] }))
    expect(source.relations).toMatchObject([{ predicate: 'supports', target_id: target.id, weight: 1 }])
    expect((await read(app, target.id)).relations).toMatchObject([
      { predicate: 'supported_by', target_id: source.id, weight: 1 },
    ])
  })
})
