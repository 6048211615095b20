import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, payloads } from '../support/requests/record-requests.ts'
import { buildStatement, link, listNodeIds, retrieve } from '../support/requests/retrieval-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const day = 86_400_000
const from = (milliseconds: number) => new Date(app.clock.now().getTime() + milliseconds).toISOString()
const setStatus = (id: string, status: string) =>
  app.request('POST', `/v1/records/${id}/status`, { body: { status, reason: 'tested', actor: 'ada' } })

describe('retrieval filters', () => {
  it('leave only matching records, among neighbours too', async () => {
    const scope = 'filters'
    const idsByName: Record<string, string> = {}
    for (const [type, payload] of Object.entries(payloads)) {
      idsByName[type] = (await create(app, { type, payload, scope, tags: [type, 'all'] })).id
    }
    for (const id of Object.values(idsByName)) await link(app, id, 'supports', idsByName['semantic'] ?? '')
    const found = async (question: object) => {
      const answer = await retrieve(app, { scopes: [scope], ...question })
      const ids = new Set(listNodeIds(answer))
      for (const edge of answer.edges)
        expect([ids.has(edge.source_id), ids.has(edge.target_id)]).toEqual([true, true])
      return Object.keys(idsByName).filter((type) => ids.has(idsByName[type] ?? ''))
    }
    expect(await found({ memory_types: ['entity', 'working'] })).toEqual(['working', 'entity'])
    expect(await found({ mode: 'facts_only' })).toEqual(['entity', 'semantic'])
    expect(await found({ mode: 'facts_plus_rules' })).toEqual([
      'entity',
      'semantic',
      'competence',
      'plan_graph',
    ])
    expect(await found({ mode: 'full_context' })).toEqual(Object.keys(idsByName))
    expect(await found({ layers: ['procedural'] })).toEqual(['competence', 'plan_graph'])
    expect(await found({ tags: ['all', 'episodic'] })).toEqual(['episodic'])
    expect(await found({ tags: ['all', 'nothing'] })).toEqual([])
    expect(await found({ min_importance: 1 })).toEqual([])
    expect(await found({ scopes: ['elsewhere'] })).toEqual([])
    expect(await found({ task_descriptor: 'Orion debug', mode: 'facts_only' })).toEqual([
      'entity',
      'semantic',
    ])
  })

  it('apply before any limit: every channel finds the one tagged record among thousands', async () => {
    await sql`
      with drawn as (
        select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id from generate_series(1, 5000) as n
      ), record as (
        insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
          scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
          max_age_seconds, min_salience, reinforcement_gain, max_salience, importance, base_importance,
          emotional_valence, access_count, confirmation_count, version, curve, deletion_policy, pinned)
        select id, 'semantic', 'low', 'semantic', 'fact', 'active', 'ai', 1, ${app.clock.now()}::timestamptz, 'crowd',
          1, 1, ${app.clock.now()}::timestamptz, ${app.clock.now()}::timestamptz, ${app.clock.now()}::timestamptz,
          86400, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 'exponential', 'auto_prune', false
        from drawn
      )
      insert into contents (record_id, tags, payload, provenance, search)
      select id, array['common'],
        '{"kind": "semantic", "subject": "s", "predicate": "p", "object": "albatross albatross",
          "validity": {"mode": "global"}, "evidence": []}',
        '{"sources": [{"kind": "event", "ref": "test"}]}', to_tsvector('english', 'albatross albatross')
      from drawn
    `.execute(app.db)
    const more = { scope: 'crowd', tags: ['rare'], salience: 0.01, base_importance: 0 }
    const { id } = await create(app, buildStatement('an albatross among many other words', more))
    for (const question of [{}, { task_descriptor: 'albatross' }]) {
      const answer = await retrieve(app, { ...question, tags: ['rare'], explain: true })
      expect(answer.root_ids).toEqual([id])
      const channels = answer.nodes[0].signals.channels.map((each: Body) => each.channel)
      expect(channels).toEqual(Object.keys(question).length === 0 ? ['salience'] : ['text'])
    }
  })

  it('on salience use the exact current value', async () => {
    const decay = { curve: 'linear', half_life_seconds: 10 * 86_400 }
    const { id } = await create(app, buildStatement('stork', { scope: 'fading', lifecycle: { decay } }))
    app.clock.advance(4 * day)
    for (const question of [{}, { task_descriptor: 'stork' }]) {
      const found = async (min_salience: number) =>
        listNodeIds(await retrieve(app, { ...question, scopes: ['fading'], min_salience }))
      expect(await found(0.6)).toEqual([id])
      expect(await found(0.601)).toEqual([])
    }
  })
})

describe('a validity with an offset that PostgreSQL cannot read', () => {
  it('is refused, and read as UTC where an earlier release stored it', async () => {
    const scope = 'far offset'
    const { payload, ...rest } = buildStatement('plover of far away', { scope })
    const boxed = (end: string) => ({
      ...rest,
      payload: { ...payload, validity: { mode: 'timeboxed', end } },
    })
    const refused = await app.request('POST', '/v1/records', { body: boxed('2099-01-01T00:00:00+20:00') })
    expect(refused.status).toBe(422)
    const over = await create(app, boxed('2099-01-01T00:00:00Z'))
    const current = await create(app, buildStatement('plover nearby', { scope }))
    await sql`
      update contents set payload = jsonb_set(payload, '{validity,end}', '"2001-01-01T00:00:00+20:00"')
      where record_id = ${over.id}
    `.execute(app.db)
    const answer = await retrieve(app, { task_descriptor: 'plover', scopes: [scope] })
    expect(listNodeIds(answer)).toEqual([current.id])
  })
})

describe('expired, withdrawn and superseded records', () => {
  it('are retrieved only when requested, and named with their reason in the explanation', async () => {
    const scope = 'put away'
    const word = { scope, tags: ['away'] }
    const active = await create(app, buildStatement('plover stays', word))
    const challenged = await create(app, buildStatement('plover doubted', word))
    const retracted = await create(app, buildStatement('plover withdrawn', word))
    const old = await create(app, buildStatement('plover of old', word))
    const faint = await create(app, buildStatement('plover faint', { ...word, salience: 0.1 }))
    const boxed = (validity: object) => {
      const { payload, ...rest } = buildStatement('plover in its time', word)
      return create(app, { ...rest, payload: { ...payload, validity: { mode: 'timeboxed', ...validity } } })
    }
    const over = await boxed({ end: from(-day) })
    const current = await boxed({ start: from(-day), end: from(day) })
    const coming = await boxed({ start: from(day) })
    await setStatus(challenged.id, 'challenged')
    const auditFields = { actor: 'ada', rationale: 'wrong' }
    await app.request('POST', `/v1/records/${retracted.id}/retract`, { body: auditFields })
    const provenance = { sources: [{ kind: 'event', ref: 'test' }] }
    const replacement = buildStatement('plover of now', { ...word, provenance })
    const superseded = await app.request('POST', `/v1/records/${old.id}/supersede`, {
      body: { record: replacement, ...auditFields },
    })
    expect(superseded.status).toBe(201)
    const successor = (superseded.body as Body).record.id
    const forgotten = await create(app, buildStatement('plover forgotten', word))
    await app.request('DELETE', `/v1/records/${forgotten.id}?actor=ada&rationale=gone`)

    for (const question of [{}, { task_descriptor: 'plover' }]) {
      const ask = { ...question, scopes: [scope], min_salience: 0.2, explain: true, max_hops: 2 }
      const answer = await retrieve(app, ask)
      expect(listNodeIds(answer).sort()).toEqual([active.id, current.id, successor].sort())
      const suppressed = Object.fromEntries(answer.suppressed.map((each: Body) => [each.id, each.reason]))
      expect(suppressed).toEqual({
        [challenged.id]: 'status',
        [retracted.id]: 'retracted',
        [old.id]: 'status',
        [over.id]: 'validity',
        [coming.id]: 'validity',
        [faint.id]: 'min_salience',
      })
    }
    const include_status = ['challenged', 'invalidated', 'superseded']
    const all = await retrieve(app, { scopes: [scope], include_status, include_expired: true, explain: true })
    expect(listNodeIds(all).sort()).toEqual(
      [active, challenged, retracted, old, faint, over, current, coming]
        .map(({ id }) => id)
        .concat(successor)
        .sort(),
    )
    expect(all.suppressed).toEqual([])
  })
})
