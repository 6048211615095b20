import { once as happens } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createKeysService } from '../../src/keys/index.ts'
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

describe('a revoked key', () => {
  it('is refused at once although it was just used', async () => {
    const { id, secret } = bodyOf(await create(admin))
    expect(await statusWith(secret)).toBe(200)
    expect((await api.request('DELETE', `/v1/keys/${id}`)).status).toBe(204)
    expect(await statusWith(secret)).toBe(401)
    expect((await api.request('GET', `/v1/keys/${id}`)).status).toBe(404)
    expect((await api.request('DELETE', `/v1/keys/${id}`)).status).toBe(404)
    const { body } = await api.request('GET', '/v1/keys?limit=500')
    expect((body as { items: KeyBody[] }).items.map((key) => key.id)).not.toContain(id)
  })

  it('is refused at once during continuous use', async () => {
    const { id, secret } = bodyOf(await create(admin))
    let isOver = false
    const statuses: number[] = []
    const use = async () => {
      while (!isOver) statuses.push(await statusWith(secret))
    }
    const users = [use(), use(), use(), use()]
    await expect.poll(() => statuses.length).toBeGreaterThan(10)
    const { status } = await api.request('DELETE', `/v1/keys/${id}`, {
      headers: { 'idempotency-key': `revoke-${id}` },
    })
    expect(status).toBe(204)
    const after = await Promise.all(Array.from({ length: 10 }, () => statusWith(secret)))
    isOver = true
    await Promise.all(users)
    expect(after).toEqual(Array(10).fill(401))
    expect(new Set(statuses)).toEqual(new Set([200, 401]))
  })

  it('is refused when the body of its request comes after the revocation', async () => {
    const { id, secret } = bodyOf(await create(admin))
    const sending = request(`${api.url}/v1/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    })
    const answered = happens(sending, 'response')
    sending.write('{"name":"a late key",')
    await sleep(1_100)
    await api.request('DELETE', `/v1/keys/${id}`)
    sending.end('"permissions":["records:read"]}')
    const [answer] = await answered
    expect((answer as IncomingMessage).resume().statusCode).toBe(401)
  })

  it('stays valid when its revocation was rolled back', async () => {
    const { id, secret } = bodyOf(await create(admin))
    const { keys } = api.services
    const caller = await keys.authenticate(secret)
    if (!caller) throw new Error('the key is not known')
    const revocation = api.db.transaction().execute(async (tx) => {
      await keys.revoke({ caller, tx }, id)
      throw new Error('rolled back')
    })
    await expect(revocation).rejects.toThrow('rolled back')
    expect(await statusWith(secret)).toBe(200)
  })

  it('is refused by other processes within five seconds', async () => {
    const { id, secret } = bodyOf(await create(admin))
    const elsewhere = createKeysService({ db: api.db, clock: api.clock, ids: api.ids })
    expect(await elsewhere.authenticate(secret)).toBeDefined()
    await api.request('DELETE', `/v1/keys/${id}`)
    expect(await elsewhere.authenticate(secret)).toBeDefined()
    api.clock.advance(5_000)
    expect(await elsewhere.authenticate(secret)).toBeUndefined()
    await elsewhere.finishWrites()
  })

  it('is refused by other processes also when their clock was set back after its last use', async () => {
    const { id, secret } = bodyOf(await create(admin))
    const { db, clock, ids } = api
    const elsewhere = createKeysService({ db, clock, ids })
    expect(await elsewhere.authenticate(secret)).toBeDefined()
    expect((await api.request('DELETE', `/v1/keys/${id}`)).status).toBe(204)
    clock.advance(-3_600_000)
    clock.advance(5_000)
    expect(await elsewhere.authenticate(secret)).toBeUndefined()
    clock.advance(3_600_000)
  })

  it('can be replaced by a second key before it is revoked', async () => {
    const old = bodyOf(await create(admin))
    const fresh = bodyOf(await create(admin))
    expect([await statusWith(old.secret), await statusWith(fresh.secret)]).toEqual([200, 200])
    await api.request('DELETE', `/v1/keys/${old.id}`)
    expect([await statusWith(old.secret), await statusWith(fresh.secret)]).toEqual([401, 200])
  })

  it.each([unknown, 'x', '%00'])('cannot be an unknown one: %s', async (id) => {
    const { status, body } = await api.request('DELETE', `/v1/keys/${id}`)
    expect([status, body]).toEqual([404, expect.objectContaining({ code: 'key_not_found' })])
  })
})

describe('a key with an expiry', () => {
  it('is refused from that instant on, cached or not', async () => {
    const end = new Date(api.clock.now().getTime() + 1_000).toISOString()
    const met = bodyOf(await create({ ...admin, expires_at: end }))
    const unmet = bodyOf(await create({ ...admin, expires_at: end }))
    expect(await statusWith(met.secret)).toBe(200)
    api.clock.advance(999)
    expect(await statusWith(met.secret)).toBe(200)
    api.clock.advance(1)
    expect([await statusWith(met.secret), await statusWith(unmet.secret)]).toEqual([401, 401])
    expect((await api.request('GET', `/v1/keys/${met.id}`)).status).toBe(200)
  })
})

describe('the use of a key', () => {
  const lastUse = async (id: string) => bodyOf(await api.request('GET', `/v1/keys/${id}`)).last_used_at

  it('is recorded to the minute', async () => {
    const { id, secret } = bodyOf(await create(admin))
    const first = api.clock.now().toISOString()
    await statusWith(secret)
    await expect.poll(() => lastUse(id)).toBe(first)
    api.clock.advance(59_999)
    await statusWith(secret)
    await api.services.keys.finishWrites()
    expect(await lastUse(id)).toBe(first)
    api.clock.advance(1)
    const later = api.clock.now().toISOString()
    await statusWith(secret)
    await expect.poll(() => lastUse(id)).toBe(later)
  })

  it('needs one database lookup in five seconds', async () => {
    const { secret } = bodyOf(await create({ permissions: ['admin'] }))
    const keys = createKeysService({ db: api.db, clock: api.clock, ids: api.ids })
    let queries = 0
    const { pool } = api.database
    pool.on('acquire', () => queries++)
    await Promise.all(Array.from({ length: 50 }, () => keys.authenticate(secret)))
    for (let index = 0; index < 50; index++) await keys.authenticate(secret)
    await keys.finishWrites()
    // One statement to look it up, one to record the use.
    expect(queries).toBe(2)
    pool.removeAllListeners('acquire')
  })

  it('needs no query for text that cannot be a key', async () => {
    let queries = 0
    const { pool } = api.database
    pool.on('acquire', () => queries++)
    for (const guess of ['x', 'mbk_short', `mbk_${'A'.repeat(44)}`, `mbk_${'!'.repeat(43)}`]) {
      expect(await statusWith(guess)).toBe(401)
    }
    expect(queries).toBe(0)
    pool.removeAllListeners('acquire')
  })
})
