import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Trust } from '../../src/domain/trust/caller.ts'
import { createSummaryService } from '../../src/metrics/index.ts'
import { startTestApp } from '../support/test-app.ts'

const day = 86_400_000

const api = await startTestApp()
afterAll(() => api.close())

let tests = 0
let scope: string
/** Covers the records of one test. */
let own: Trust
beforeEach(() => {
  scope = `test ${++tests}`
  own = { maxSensitivity: 'hyper', scopes: [scope] }
})

const reason = { actor: 'a', rationale: 'r' }

async function write(record: object): Promise<string> {
  const { body, status, text } = await api.request('POST', '/v1/records', { body: { scope, ...record } })
  if (status !== 201) throw new Error(text)
  return (body as { id: string }).id
}

const fact = (object: unknown, more: object = {}) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject: 's', predicate: 'p', object },
  ...more,
})
const competence = (successes: number, failures: number) => ({
  type: 'competence',
  payload: {
    kind: 'competence',
    skill_name: `s${successes}`,
    triggers: [],
    required_tools: [],
    failure_modes: [],
    recipe: [{ step: 'try' }],
    fallbacks: [],
    performance: {
      success_count: successes,
      failure_count: failures,
      success_rate: successes / (successes + failures),
    },
  },
})
const plan = (count: number) => ({
  type: 'plan_graph',
  payload: {
    kind: 'plan_graph',
    plan_id: `p${count}`,
    version: '1',
    nodes: [],
    edges: [],
    metrics: { execution_count: count },
  },
})

/** Computes the metrics for a trust without the cache. */
const read = (trust = own, sampleSize = 20_000, app = api) =>
  createSummaryService({ ...app, freshMs: 0, sampleSize }).read({
    caller: { principal: 'p', name: 'n', permissions: new Set(), trust, sourceType: 'ai' },
  })

describe('GET /v1/metrics', () => {
  it('answers zero counts and no shares for an empty store', async () => {
    const { status, body } = await api.request('GET', '/v1/metrics')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      is_sampled: false,
      total_records: 0,
      active_records: 0,
      pinned_records: 0,
      total_audit_entries: 0,
      records_by_type: { episodic: 0, working: 0, entity: 0, semantic: 0, competence: 0, plan_graph: 0 },
      avg_salience: null,
      avg_confidence: null,
      memory_growth_rate: null,
      revision_rate: null,
      retrieval_usefulness: null,
      competence_success_rate: null,
      plan_reuse_frequency: null,
    })
  })

  it('counts active records and leaves out forgotten ones', async () => {
    const first = await write(fact('a', { confidence: 0.5 }))
    const second = await write(fact('b', { confidence: 1 }))
    const third = await write(fact('c'))
    for (const record of [competence(9, 1), competence(1, 1), plan(4), plan(1)]) await write(record)
    await api.request('POST', `/v1/records/${first}/pin`, { body: reason })
    await api.request('DELETE', `/v1/records/${third}?actor=a&rationale=r`)
    await api.request('POST', `/v1/records/${second}/retract`, { body: reason })
    expect(await read()).toMatchObject({
      total_records: 6,
      active_records: 5,
      pinned_records: 1,
      records_by_type: { semantic: 2, competence: 2, plan_graph: 2, episodic: 0 },
      // One for each creation, the pin and the retraction.
      total_audit_entries: 8,
      memory_growth_rate: 1,
      competence_success_rate: 10 / 12,
      plan_reuse_frequency: 2.5,
      revision_rate: 1 / 6,
    })
  })

  it('counts no use of skills and plans that state none', async () => {
    for (const { type, payload } of [competence(3, 1), plan(4)]) {
      const { performance: _, metrics: __, ...bare } = payload as Record<string, unknown>
      await write({ type, payload: bare })
    }
    expect(await read()).toMatchObject({ competence_success_rate: null, plan_reuse_frequency: 0 })
    for (const record of [competence(3, 1), plan(4)]) await write(record)
    expect(await read()).toMatchObject({ competence_success_rate: 0.75, plan_reuse_frequency: 2 })
  })

  it('uses the current salience and groups it into bands', async () => {
    await write(fact('a'))
    const fresh = await read()
    expect(fresh.avg_salience).toBeGreaterThan(0)
    api.clock.advance(60 * day)
    const faded = await read()
    expect(faded.avg_salience).toBeLessThan(fresh.avg_salience ?? 0)
    expect(faded.memory_growth_rate).toBe(0)
    expect(Object.values(faded.salience_distribution).reduce((sum, count) => sum + count)).toBe(1)
  })

  it('counts served and used accesses', async () => {
    const id = await write(fact('a'))
    await api.request('POST', `/v1/records/${id}/access`, { body: {} })
    await api.services.access.flush()
    expect((await read()).retrieval_usefulness).toBe(1)
  })

  it('covers exactly the records that the key sees completely', async () => {
    const count = async (maxSensitivity: Trust['maxSensitivity']) =>
      (await read({ maxSensitivity, scopes: null })).total_records
    const before = { all: await count('hyper'), low: await count('low') }
    await write(fact('a', { scope: 'team' }))
    await write(fact('b', { scope: 'team', sensitivity: 'high' }))
    await write(fact('c', { scope: 'other' }))
    await write(fact('d', { scope: undefined }))
    expect(await count('hyper')).toBe(before.all + 4)
    expect(await count('low')).toBe(before.low + 3)
    const bound = await read({ maxSensitivity: 'low', scopes: ['team'] })
    expect(bound).toMatchObject({ total_records: 2, total_audit_entries: 2 })
    const key = await api.issueKey(['records:read'], { scopes: ['other'], max_sensitivity: 'low' })
    expect((await api.request('GET', '/v1/metrics', { key })).body).toMatchObject({ total_records: 2 })
  })

  it('requires read permission', async () => {
    const key = await api.issueKey(['records:write'])
    expect((await api.request('GET', '/v1/metrics', { key })).status).toBe(403)
  })

  it('scales a sample up to the counted total', async () => {
    const app = await startTestApp()
    onTestFinished(() => app.close())
    const records = Array.from({ length: 60 }, (_, n) => fact(n, { scope }))
    const { status } = await app.request('POST', '/v1/records/batch', { body: { records } })
    expect(status).toBe(200)
    const sampled = await read(own, 20, app)
    expect(sampled).toMatchObject({ is_sampled: true, total_records: 60, records_by_type: { semantic: 60 } })
    const entries = sampled.total_audit_entries
    // The sample takes whole pages: all of these records are on two.
    expect([0, 60]).toContain(entries)
  })

  it('is computed once in five seconds for callers that see the same', async () => {
    const issue = (max_sensitivity: string) =>
      api.issueKey(['records:read'], { max_sensitivity, scopes: [scope] })
    const key = await issue('hyper')
    const ask = async (key: string) =>
      (await api.request('GET', '/v1/metrics', { key })).body as { total_records: number }
    await write(fact('a'))
    const first = await ask(key)
    await write(fact('b'))
    expect(await ask(key)).toEqual(first)
    expect((await ask(await issue('low'))).total_records).toBe(first.total_records + 1)
  })
})
