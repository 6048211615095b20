import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
} from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

/** Reads and writes the scope `mine` and records without scope, up to `low`. */
let narrow: string
const records: Record<string, Body> = {}

const app = await startTestApp()
beforeAll(async () => {
  narrow = await app.issueKey(['records:read', 'records:write'], { scopes: ['mine'], max_sensitivity: 'low' })
  for (const scope of ['mine', 'theirs', undefined]) {
    for (const sensitivity of ['low', 'medium', 'high']) {
      const words = { ...payloads.semantic, object: `secret-${scope}-${sensitivity}` }
      records[`${scope} ${sensitivity}`] = await create(app, {
        type: 'semantic',
        sensitivity,
        tags: ['trust'],
        payload: words,
        ...(scope ? { scope } : {}),
      })
    }
  }
})
afterAll(() => app.close())

const ask = (method: string, path: string, body?: unknown) =>
  app.request(method, path, { key: narrow, ...(body === undefined ? {} : { body }) })
const idOf = (name: string): string => records[name].id
const listed = async (query: string): Promise<Body[]> =>
  ((await ask('GET', `/v1/records?limit=500&${query}`)).body as Body).items

describe('a key of one scope with a low ceiling', () => {
  it('reads records of its scope and without scope completely', async () => {
    for (const name of ['mine low', 'undefined low']) {
      expect(await read(app, idOf(name), { key: narrow })).toEqual(await read(app, idOf(name)))
    }
  })

  it('sees a record one level above its ceiling without its content', async () => {
    for (const name of ['mine medium', 'undefined medium']) {
      const seen = await read(app, idOf(name), { key: narrow })
      expect(Object.keys(seen).sort()).toEqual(
        [
          'id',
          'type',
          'sensitivity',
          'confidence',
          'salience',
          'tags',
          'created_at',
          'updated_at',
          'redacted',
          ...(name.startsWith('mine') ? ['scope'] : []),
        ].sort(),
      )
      const answer = await ask('GET', `/v1/records/${idOf(name)}`)
      expect(answer.headers.get('etag')).toBeNull()
    }
  })

  it('cannot distinguish records further above or of other scopes from missing ones', async () => {
    const missing = await ask('GET', `/v1/records/${app.ids.next()}`)
    for (const name of ['mine high', 'theirs low', 'theirs medium', 'undefined high']) {
      for (const path of ['', '/audit', '/relations']) {
        const answer = await ask('GET', `/v1/records/${idOf(name)}${path}`)
        const { request_id: _, ...problem } = expectProblem(answer, 404, 'record_not_found')
        const { request_id: _1, ...absent } = missing.body as Body
        expect(problem).toEqual(absent)
      }
      expectProblem(await ask('PATCH', `/v1/records/${idOf(name)}`, { tags: [] }), 404, 'record_not_found')
    }
  })

  it('lists only the records it may see, with any filter', async () => {
    const ids = (await listed('tag=trust')).map((item) => item.id)
    const visible = ['mine low', 'mine medium', 'undefined low', 'undefined medium'].map(idOf)
    expect(ids.sort()).toEqual(visible.sort())
    expect(await listed('scope=theirs')).toEqual([])
    expect(await listed('sensitivity=high')).toEqual([])
  })

  it('cannot filter redacted records by fields it does not see', async () => {
    expect(await listed('q=secret')).toHaveLength(2)
    for (const query of [
      'layer=semantic',
      'memory_kind=fact',
      'status=active',
      'pinned=false',
      'sort=importance',
    ]) {
      const items = await listed(`tag=trust&${query}`)
      expect(items.filter((item) => item.redacted)).toEqual([])
      expect(items).toHaveLength(2)
    }
  })

  it('cannot change, link or inspect a redacted record', async () => {
    const id = idOf('mine medium')
    expectProblem(await ask('PATCH', `/v1/records/${id}`, { tags: [] }), 403, 'above_ceiling')
    expectProblem(await ask('GET', `/v1/records/${id}/audit`), 403, 'above_ceiling')
    expectProblem(await ask('GET', `/v1/records/${id}/relations`), 403, 'above_ceiling')
    const relation = { predicate: 'supports', target_id: id }
    const own = `/v1/records/${idOf('mine low')}/relations`
    expectProblem(await ask('POST', own, relation), 403, 'above_ceiling')
    expectProblem(await ask('POST', '/v1/records', fact({ relations: [relation] })), 403, 'above_ceiling')
  })

  it('cannot link to a hidden record', async () => {
    const relation = { predicate: 'supports', target_id: idOf('theirs low') }
    const own = `/v1/records/${idOf('mine low')}/relations`
    expectProblem(await ask('POST', own, relation), 404, 'record_not_found')
    expectProblem(await ask('POST', '/v1/records', fact({ relations: [relation] })), 404, 'record_not_found')
  })

  it('cannot link to a hidden record by claiming its id in the same batch', async () => {
    const hidden = idOf('theirs low')
    const link = fact({ relations: [{ predicate: 'supports', target_id: hidden }] })
    const { body } = await ask('POST', '/v1/records/batch', { records: [fact({ id: hidden }), link] })
    expect((body as Body).results.map((result: Body) => result.status)).toEqual([409, 404])
    expect((await read(app, hidden)).relations).toEqual([])
  })

  it('sees no edge to a hidden record, nor a version or an entry of the log for it', async () => {
    const hub = await create(app, fact({ scope: 'mine' }))
    for (const name of ['theirs low', 'mine high', 'mine medium', 'mine low']) {
      const body = { predicate: 'supports', target_id: idOf(name) }
      await app.request('POST', `/v1/records/${hub.id}/relations`, { body })
    }
    const visible = ['mine medium', 'mine low'].map(idOf).sort()
    const seen = await read(app, hub.id, { key: narrow })
    expect(seen.relations.map((edge: Body) => edge.target_id).sort()).toEqual(visible)
    const paged = (await ask('GET', `/v1/records/${hub.id}/relations`)).body as Body
    expect(paged.items.map((edge: Body) => edge.target_id).sort()).toEqual(visible)
    // The change belongs to the record that fewer keys see, so neither the version nor the log of the hub shows the others.
    expect(seen.version).toBe(2)
    expect(seen.audit_log.at(-1).changes).toEqual({ [`relations.supports.${idOf('mine low')}`]: [null, 1] })
    expect(seen.audit_log).toHaveLength(2)
  })

  it('writes to its scope by default, up to its ceiling', async () => {
    const record = await create(app, fact(), { key: narrow })
    expect(record).toMatchObject({ scope: 'mine', sensitivity: 'low', source_type: 'ingest' })
    const bodies = [fact({ scope: 'theirs' }), fact({ sensitivity: 'medium' })]
    for (const body of bodies) expectProblem(await ask('POST', '/v1/records', body), 403, 'outside_trust')
    const path = `/v1/records/${record.id}`
    for (const body of [{ scope: 'theirs' }, { scope: null }, { sensitivity: 'hyper' }]) {
      expectProblem(await ask('PATCH', path, body), 403, 'outside_trust')
    }
    expectProblem(await ask('PATCH', path, { sensitivity: 'public' }), 403, 'forbidden')
    expect((await ask('PATCH', path, { scope: 'mine', sensitivity: 'low' })).status).toBe(200)
  })

  it('may not claim a more trusted source type', async () => {
    expectProblem(await ask('POST', '/v1/records', fact({ source_type: 'human' })), 422, 'validation_failed')
    const record = await create(app, fact({ source_type: 'dream' }), { key: narrow })
    expect(record.source_type).toBe('dream')
  })

  it('learns in a batch answer which records are outside its trust', async () => {
    const { body } = await ask('POST', '/v1/records/batch', { records: [fact(), fact({ scope: 'theirs' })] })
    expect((body as Body).results.map((result: Body) => result.status)).toEqual([201, 403])
  })
})

describe('other keys', () => {
  it('with several scopes must name the scope they write to', async () => {
    const key = await app.issueKey(['records:write', 'records:read'], { scopes: ['a', 'b'] })
    const answer = await app.request('POST', '/v1/records', { key, body: fact() })
    const { errors } = expectProblem(answer, 422, 'scope_required')
    expect(errors).toMatchObject([{ pointer: '/scope', message: expect.stringContaining('"a", "b"') }])
    expect((await create(app, fact({ scope: 'b' }), { key })).scope).toBe('b')
  })

  it('without read permission get only the id and version of their own writes', async () => {
    const key = await app.issueKey(['records:write'])
    const answer = await app.request('POST', '/v1/records', { key, body: fact() })
    expect(answer.body).toEqual({ id: (answer.body as Body).id, version: 1 })
    const path = `/v1/records/${(answer.body as Body).id}`
    const patched = await app.request('PATCH', path, { key, body: { tags: ['x'] } })
    expect(patched.body).toEqual({ id: (answer.body as Body).id, version: 2 })
    expectProblem(await app.request('GET', path, { key }), 403, 'forbidden')
  })

  it('with read permission only cannot write', async () => {
    const key = await app.issueKey(['records:read'])
    expectProblem(await app.request('POST', '/v1/records', { key, body: fact() }), 403, 'forbidden')
  })
})
