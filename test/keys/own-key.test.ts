import { afterAll, describe, expect, it } from 'vitest'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

describe('GET /v1/keys/self', () => {
  it('tells any key what it may do and see', async () => {
    const key = await app.issueKey(['maintenance:run'], {
      name: 'nightly',
      scopes: ['team-a'],
      max_sensitivity: 'medium',
      source_type: 'ai',
    })
    const { status, body } = await app.request('GET', '/v1/keys/self', { key })
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.any(String),
      name: 'nightly',
      permissions: ['maintenance:run'],
      scopes: ['team-a'],
      max_sensitivity: 'medium',
      source_type: 'ai',
      expires_at: null,
    })
  })

  it('names the root key and a caller without a key, which have no id', async () => {
    const whole = { id: null, scopes: [], max_sensitivity: 'hyper', source_type: 'human', expires_at: null }
    expect((await app.request('GET', '/v1/keys/self')).body).toMatchObject({ ...whole, name: 'root' })
    const open = await startTestApp({ variables: { MEMBRANE_API_KEY: '' } })
    const { body } = await open.request('GET', '/v1/keys/self', { key: false })
    expect(body).toMatchObject({ ...whole, name: 'anonymous' })
    await open.close()
  })

  it('refuses an unknown key, and any method but reading', async () => {
    expect((await app.request('GET', '/v1/keys/self', { key: 'unknown' })).status).toBe(401)
    expect((await app.request('GET', '/v1/keys/self', { key: false })).status).toBe(401)
    expect((await app.request('DELETE', '/v1/keys/self')).status).toBe(405)
  })
})
