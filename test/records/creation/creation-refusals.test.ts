import { afterAll, describe, expect, it } from 'vitest'
import {
  type Body,
  countRows,
  create,
  expectProblem,
  fact,
  payloads,
  pointersOf,
  read,
} from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const post = (body: unknown, headers: Record<string, string> = {}) =>
  app.request('POST', '/v1/records', { body, headers })

describe('POST /v1/records with an invalid record', () => {
  const refused = async (body: unknown, status: number, code: string, ...pointers: string[]) => {
    const before = await countRows(app, 'records')
    const answer = await post(body)
    expectProblem(answer, status, code)
    if (pointers.length > 0) expect(pointersOf(answer).sort()).toEqual([...pointers].sort())
    expect(await countRows(app, 'records')).toBe(before)
  }

  it('lists every invalid field at once', async () => {
    await refused(
      {
        type: 'semantic',
        confidence: 2,
        colour: 'red',
        tags: [1],
        payload: { kind: 'semantic', subject: 5 },
      },
      422,
      'validation_failed',
      '/confidence',
      '/colour',
      '/tags/0',
      '/payload/subject',
      '/payload/predicate',
      '/payload/object',
    )
  })

  it('refuses fields that the service owns', async () => {
    const kept = {
      version: 7,
      updated_at: '2026-01-01T00:00:00Z',
      audit_log: [],
      status: 'superseded',
      importance: 1,
      access_count: 9,
      forgotten: null,
      redacted: false,
      anchors: {},
    }
    await refused(fact(kept), 422, 'validation_failed', ...Object.keys(kept).map((name) => `/${name}`))
  })

  it('refuses the state of a revision, except the one with which a fact starts', async () => {
    const unknown = '0197b9a0-0000-7000-8000-00000000dead'
    const withRevision = (revision: object) => fact({ payload: { ...payloads.semantic, revision } })
    for (const revision of [
      { status: 'retracted' },
      { status: 'contested' },
      { status: 'active', supersedes: unknown },
      { status: 'active', superseded_by: unknown },
    ]) {
      await refused(withRevision(revision), 422, 'validation_failed', '/payload/revision')
      const records = [fact(), withRevision(revision)]
      const batch = (atomic: boolean) =>
        app.request('POST', '/v1/records/batch', { body: { records, atomic } })
      const { results } = (await batch(false)).body as Body
      expect(results.map(({ status }: Body) => status)).toEqual([201, 422])
      expect(results[1].problem.errors[0].pointer).toBe('/records/1/payload/revision')
      expect(pointersOf(await batch(true))).toEqual(['/records/1/payload/revision'])
    }
    const { payload } = await create(app, withRevision({ status: 'active' }))
    expect(payload.revision).toEqual({ status: 'active' })
  })

  it('refuses a fact that ends before it starts', async () => {
    const within = (start: string, end: string) =>
      fact({ payload: { ...payloads.semantic, validity: { mode: 'timeboxed', start, end } } })
    for (const end of ['2026-01-01T00:00:00Z', '2026-01-02T01:00:00+01:00']) {
      await refused(within('2026-01-02T00:00:00Z', end), 422, 'validation_failed', '/payload/validity/end')
    }
    await create(app, within('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'))
  })

  it('refuses a payload of another type', async () => {
    await refused({ type: 'working', payload: payloads.semantic }, 422, 'validation_failed', '/payload/kind')
    await refused({ type: 'working', payload: { kind: 'dream' } }, 422, 'validation_failed', '/payload/kind')
    await refused({ type: 'working', payload: null }, 422, 'validation_failed', '/payload')
    await refused({ type: 'working' }, 422, 'validation_failed', '/payload')
  })

  it('takes an identifier that an entity lists twice once', async () => {
    const mail = { namespace: 'mail', value: 'orion@example.org' }
    const payload = { ...payloads.entity, identifiers: [mail, mail] }
    const answer = await post({ type: 'entity', payload })
    expect(answer).toMatchObject({ status: 201, body: { payload: { identifiers: [mail] } } })
    const { id } = answer.body as Body
    const another = { ...mail, value: 'o@example.org' }
    const body = { payload: { identifiers: [another, another, mail] } }
    const patched = await app.request('PATCH', `/v1/records/${id}`, { body })
    expect(patched).toMatchObject({ status: 200, body: { payload: { identifiers: [another, mail] } } })
  })

  it('refuses creation and reinforcement times in the future', async () => {
    const later = new Date(app.clock.now().getTime() + 1).toISOString()
    await refused(
      fact({ created_at: later, lifecycle: { last_reinforced_at: later } }),
      422,
      'validation_failed',
      '/created_at',
      '/lifecycle/last_reinforced_at',
    )
  })

  it('refuses text that PostgreSQL cannot store', async () => {
    await refused(fact({ tags: ['a\u0000b'] }), 422, 'validation_failed', '/tags/0')
    await refused(fact({ tags: ['\ud800'] }), 422, 'validation_failed', '/tags/0')
    await refused(
      `{"type":"semantic","payload":{"kind":"semantic","subject":"s","predicate":"p","object":{"__proto__":1}}}`,
      422,
      'validation_failed',
    )
    await refused(
      `{"type":"semantic","payload":{"kind":"semantic","subject":"s","predicate":"p","object":1e999}}`,
      422,
      'number_too_large',
      '/payload/object',
    )
  })

  it('refuses a body by size, syntax or media type', async () => {
    await refused(`{"x":"${'y'.repeat(11 * 1_024 * 1_024)}"}`, 413, 'body_too_large')
    await refused('{"type":', 400, 'malformed_json')
    const answer = await post('type=semantic', { 'content-type': 'application/x-www-form-urlencoded' })
    expectProblem(answer, 415, 'unsupported_media_type')
  })

  it('refuses a plan with cycles, duplicate nodes or missing ends', async () => {
    const nodes = [
      { id: 'a', op: 'x' },
      { id: 'b', op: 'y' },
    ]
    const plan = (edges: object[], more: object[] = []) => ({
      type: 'plan_graph',
      payload: { ...payloads.plan_graph, nodes: [...nodes, ...more], edges },
    })
    const edge = (from: string, to: string) => ({ from, to, kind: 'control' })
    const cycle = plan([edge('a', 'b'), edge('b', 'a')])
    await refused(cycle, 422, 'validation_failed', '/payload/edges/1')
    await refused(plan([edge('a', 'c')]), 422, 'validation_failed', '/payload/edges/0/to')
    await refused(plan([], [{ id: 'a', op: 'z' }]), 422, 'validation_failed', '/payload/nodes/2/id')
  })

  it('refuses an edge to a record that does not exist', async () => {
    const relations = [{ predicate: 'supports', target_id: '0197b9a0-0000-7000-8000-00000000dead' }]
    await refused(fact({ relations }), 404, 'record_not_found', '/relations/0/target_id')
  })

  it('refuses an id in use and leaves its record unchanged', async () => {
    const first = await create(app, fact({ tags: ['first'] }))
    await refused(fact({ id: first.id, tags: ['second'] }), 409, 'record_exists')
    expect(await read(app, first.id)).toEqual(first)
  })

  it('accepts one of twenty concurrent creates with the same id', async () => {
    const id = app.ids.next()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => post(fact({ id, tags: [`racer-${index}`] }))),
    )
    const won = answers.filter((answer) => answer.status === 201)
    expect(won).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 201) expectProblem(answer, 409, 'record_exists')
    expect(await read(app, id)).toEqual(won[0]?.body)
  })
})
