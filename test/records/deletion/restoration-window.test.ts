import { afterEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

let api: TestApp
afterEach(() => api.close())

const reason = { actor: 'a', rationale: 'r' }
const fact = {
  type: 'semantic',
  payload: { kind: 'semantic', subject: 's', predicate: 'p', object: 'o' },
}

it.each(['36500d', 'never'])(
  'a forgotten record can be restored within a retention of %s',
  async (retention) => {
    api = await startTestApp({
      variables: {
        MEMBRANE_FORGOTTEN_RETENTION: retention,
        MEMBRANE_IDEMPOTENCY_RETENTION: retention,
        MEMBRANE_REVISED_RETENTION: retention,
      },
    })
    const created = await api.request('POST', '/v1/records', {
      body: fact,
      headers: { 'idempotency-key': 'one' },
    })
    expect(created.status, created.text).toBe(201)
    const { id } = created.body as { id: string }
    const forgotten = await api.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)
    expect(forgotten.status, forgotten.text).toBeLessThan(300)
    api.clock.advance(90 * 365 * 86_400_000)
    const restored = await api.request('POST', `/v1/records/${id}/restore`, { body: reason })
    expect(restored.status, restored.text).toBe(200)
    const successor = await api.request('POST', `/v1/records/${id}/supersede`, {
      body: { ...reason, record: { ...fact, provenance: { sources: [{ kind: 'event', ref: 'e' }] } } },
    })
    expect(successor.status, successor.text).toBe(201)
    for (const path of [`/v1/records/${id}/explain`, `/v1/records/${id}/forecast`, '/metrics']) {
      const { status, text } = await api.request('GET', path)
      expect(status, text).toBe(200)
    }
  },
)
