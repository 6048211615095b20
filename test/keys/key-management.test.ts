import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { type Answer, startTestApp } from '../support/test-app.ts'

const api = await startTestApp()
afterAll(() => api.close())

type KeyBody = { id: string; name: string; secret: string; next_cursor?: string; last_used_at: string | null }
const unknown = '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11'
const create = (body: object, more: object = {}) =>
  api.request('POST', '/v1/keys', {
    body: { name: 'a key', permissions: ['records:read'], ...body },
    ...more,
  })
const bodyOf = ({ body }: Answer) => body as KeyBody
const admin = { permissions: ['admin'] }
/** Calls a route that requires admin with the key; answers 401 when the key is unknown. */
const statusWith = async (key: string) => (await api.request('GET', '/v1/keys', { key })).status

describe('POST /v1/keys', () => {
  it('answers the key with its secret, this one time', async () => {
    const input = {
      name: 'ingest',
      permissions: ['records:write', 'records:read'],
      scopes: ['team-a'],
      max_sensitivity: 'medium',
      source_type: 'ai',
      expires_at: '2026-04-01T00:00:00.000Z',
    }
    const created = await create(input)
    expect(created.status).toBe(201)
    const { id, secret, ...rest } = bodyOf(created)
    expect(secret).toMatch(/^mbk_[A-Za-z0-9_-]{43}$/)
    expect(rest).toEqual({
      ...input,
      permissions: ['records:read', 'records:write'],
      created_at: '2026-03-28T09:30:00.000Z',
      last_used_at: null,
    })
    expect(created.headers.get('location')).toBe(`/v1/keys/${id}`)
    const read = await api.request('GET', `/v1/keys/${id}`)
    expect(read.body).toEqual({ id, ...rest })
    expect((await api.request('GET', '/v1/keys')).text).not.toContain(secret)
  })

  it('limits the key by default', async () => {
    expect((await create({})).body).toMatchObject({
      scopes: [],
      max_sensitivity: 'low',
      source_type: 'ingest',
      expires_at: null,
    })
  })

  it.each([
    ['no name', { name: '' }, '/name'],
    ['no permissions', { permissions: [] }, '/permissions'],
    ['an unknown permission', { permissions: ['records:read', 'root'] }, '/permissions/1'],
    ['a permission twice', { permissions: ['admin', 'admin'] }, '/permissions'],
    ['a scope twice', { scopes: ['a', 'a'] }, '/scopes'],
    ['an unknown sensitivity', { max_sensitivity: 'secret' }, '/max_sensitivity'],
    ['an end in the past', { expires_at: '2026-03-28T09:29:59.999Z' }, '/expires_at'],
    ['an end right now', { expires_at: '2026-03-28T09:30:00.000Z' }, '/expires_at'],
    ['an end that is no time', { expires_at: 'soon' }, '/expires_at'],
    ['a secret of its own', { secret: 'mine' }, '/secret'],
  ])('refuses a key with %s', async (_name, body, pointer) => {
    const answer = await create(body)
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer }] })
  })

  it('refuses a key that sees more than its creator', async () => {
    const { secret: key } = bodyOf(await create({ ...admin, scopes: ['a', 'b'], max_sensitivity: 'medium' }))
    const within = await create({ scopes: ['b'], max_sensitivity: 'medium' }, { key })
    expect(within.status).toBe(201)
    for (const beyond of [{ scopes: ['c'] }, { scopes: [] }, { scopes: ['a'], max_sensitivity: 'high' }]) {
      const answer = await create(beyond, { key })
      expect([answer.status, answer.body]).toEqual([403, expect.objectContaining({ code: 'outside_trust' })])
    }
  })

  it('refuses a key with a more trusted source type or a later expiry than its creator', async () => {
    const end = '2026-04-01T00:00:00.000Z'
    const maker = { ...admin, source_type: 'auto_extracted', expires_at: end }
    const { secret: key } = bodyOf(await create(maker))
    for (const beyond of [
      { source_type: 'human' },
      { source_type: 'ingest' },
      { expires_at: null },
      { expires_at: '2026-04-01T00:00:00.001Z' },
    ]) {
      const answer = await create(beyond, { key })
      expect([answer.status, answer.body]).toEqual([403, expect.objectContaining({ code: 'outside_trust' })])
    }
    const within = { source_type: 'auto_extracted', expires_at: '2026-03-31T00:00:00.000Z' }
    expect((await create(within, { key })).body).toMatchObject(within)
    const inherited = { source_type: 'auto_extracted', expires_at: end }
    expect((await create({}, { key })).body).toMatchObject(inherited)
  })
})

describe('the secret of a key', () => {
  it('is not stored in the database, also not under an Idempotency-Key', async () => {
    const { secret } = bodyOf(await create(admin, { headers: { 'idempotency-key': 'secretive' } }))
    expect(await statusWith(secret)).toBe(200)
    const { rows } = await sql<{ dump: string }>`
      select (select string_agg(k::text, '') from api_keys k) ||
             (select string_agg(i::text, '') from idempotency_keys i) as dump
    `.execute(api.db)
    expect(rows[0]?.dump).not.toContain(secret)
    expect(rows[0]?.dump).not.toContain(secret.slice(4))
    expect(rows[0]?.dump).toContain(createHash('sha256').update(secret).digest('hex'))
    expect(api.log.join('')).not.toContain(secret)
  })

  it('is missing from a replayed answer', async () => {
    const again = { headers: { 'idempotency-key': 'lost-answer' } }
    const first = bodyOf(await create({}, again))
    const replayed = await create({}, again)
    expect(replayed.headers.get('idempotency-replayed')).toBe('true')
    const { secret: _, ...rest } = first
    expect(replayed.body).toEqual(rest)
  })
})

describe('GET /v1/keys', () => {
  it('lists keys newest first in pages without gaps or repetitions while keys change', async () => {
    const ids: string[] = []
    for (let index = 0; index < 7; index++) {
      // Two have the same time: the id decides their order.
      if (index % 2) api.clock.advance(1)
      ids.unshift(bodyOf(await create({ name: `paged ${index}` })).id)
    }
    const seen: string[] = []
    let path: string | undefined = '/v1/keys?limit=2'
    while (path) {
      const answer = await api.request('GET', path)
      const { items, next_cursor: next } = answer.body as { items: KeyBody[]; next_cursor?: string }
      seen.push(...items.filter(({ name }) => name.startsWith('paged')).map(({ id }) => id))
      await create({ name: 'created during the listing' })
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
      expect(path === undefined).toBe(next === undefined)
    }
    expect([...seen].sort()).toEqual([...ids].sort())
    expect(new Set(seen).size).toBe(ids.length)
  })

  it.each(['x', 'bnVsbA', '%00'])('refuses the cursor %j', async (cursor) => {
    const { status, body } = await api.request('GET', `/v1/keys?cursor=${cursor}`)
    expect([400, 422]).toContain(status)
    expect(body).toMatchObject({ code: expect.stringMatching(/invalid_cursor|validation_failed/) })
  })

  it('refuses a cursor of another caller', async () => {
    const { body } = await api.request('GET', '/v1/keys?limit=1')
    const other = bodyOf(await create(admin)).secret
    const answer = await api.request('GET', `/v1/keys?cursor=${bodyOf({ body } as Answer).next_cursor}`, {
      key: other,
    })
    expect(answer.body).toMatchObject({ code: 'invalid_cursor' })
  })
})

describe('the routes of keys', () => {
  it.each(['records:read', 'records:write', 'lifecycle:write', 'maintenance:run'])(
    'refuse a key with permission %s',
    async (permission) => {
      const { secret: key } = bodyOf(await create({ permissions: [permission] }))
      const answers = [
        await api.request('GET', '/v1/keys', { key }),
        await api.request('GET', `/v1/keys/${unknown}`, { key }),
        await api.request('DELETE', `/v1/keys/${unknown}`, { key }),
        await create({}, { key }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    },
  )
})
