import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { importLines } from '../support/requests/export-and-import.ts'
import { startTestApp } from '../support/test-app.ts'

const api = await startTestApp()
afterAll(() => api.close())

const reason = { actor: 'a', rationale: 'r' }
const fact = (more: object = {}) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject: 's', predicate: 'p', object: 'o' },
  ...more,
})
const decay = (more: object) => ({
  curve: 'exponential',
  half_life_seconds: 60,
  min_salience: 0,
  max_age_seconds: 0,
  reinforcement_gain: 0.1,
  max_salience: 1,
  ...more,
})

async function create(record: object = fact()): Promise<string> {
  const { body, text, status } = await api.request('POST', '/v1/records', { body: record })
  expect(status, text).toBe(201)
  return (body as { id: string }).id
}

const tooMuch: [string, object][] = [
  ['/salience', { salience: 1_000.1 }],
  ['/lifecycle/decay/reinforcement_gain', { lifecycle: { decay: { reinforcement_gain: 1.7e308 } } }],
  ['/lifecycle/decay/max_salience', { lifecycle: { decay: { max_salience: 1_001 } } }],
  ['/lifecycle/decay/half_life_seconds', { lifecycle: { decay: { half_life_seconds: 1e12 } } }],
  ['/lifecycle/decay/max_age_seconds', { lifecycle: { decay: { max_age_seconds: 1e12 } } }],
]

describe('a salience or decay parameter above its bound', () => {
  it.each(tooMuch)('is refused at %s by create, batch and import', async (pointer, more) => {
    const created = await api.request('POST', '/v1/records', { body: fact(more) })
    expect(created.body).toMatchObject({ status: 422, errors: [{ pointer }] })
    const batch = await api.request('POST', '/v1/records/batch', { body: { records: [fact(more)] } })
    expect(batch.body).toMatchObject({
      results: [{ status: 422, problem: { errors: [{ pointer: `/records/0${pointer}` }] } }],
    })
    const { reports } = await importLines(api, [fact(more)])
    expect(reports).toMatchObject([{ status: 'invalid', problem: { errors: [{ pointer }] } }])
  })

  it.each(tooMuch.slice(1))('is refused at %s by a patch', async (pointer, more) => {
    const { body } = await api.request('PATCH', `/v1/records/${await create()}`, { body: more })
    expect(body).toMatchObject({ status: 422, errors: [{ pointer }] })
  })

  it('is refused in a policy, a penalty, a revision and the anchors of an import', async () => {
    const policy = { decay: decay({ reinforcement_gain: 1_001 }), deletion_policy: 'auto_prune' }
    expect((await api.request('PUT', '/v1/policies/semantic', { body: policy })).status).toBe(422)
    const id = await create()
    const penalty = { ...reason, amount: 1.7e308 }
    expect((await api.request('POST', `/v1/records/${id}/penalize`, { body: penalty })).status).toBe(422)
    const successor = { ...reason, record: fact({ salience: 1e300 }) }
    expect((await api.request('POST', `/v1/records/${id}/supersede`, { body: successor })).status).toBe(422)
    const anchors = { base_salience: 1_001, anchored_at: '2026-01-01T00:00:00.000Z' }
    const { reports } = await importLines(api, [fact({ anchors })])
    expect(reports).toMatchObject([{ status: 'invalid' }])
  })

  it('is not reached by reinforcement without a cap', async () => {
    const id = await create(
      fact({
        salience: 999,
        lifecycle: { pinned: true, decay: { reinforcement_gain: 1_000, max_salience: null } },
      }),
    )
    const { body } = await api.request('POST', `/v1/records/${id}/reinforce`, { body: reason })
    expect(body).toMatchObject({ salience: 1_000 })
  })
})

describe('a value above the bound that an earlier version stored', () => {
  it('does not break metrics, lists, retrieval or reinforcement', async () => {
    const ids = [await create(), await create()]
    await sql`
      update records set salience = 1.7e308, base_salience = 1.7e308, pinned = true, prune_at = null
      where id = any(${ids}::uuid[])
    `.execute(api.db)
    for (const path of ['/v1/metrics', '/metrics', '/v1/records?sort=salience', `/v1/records/${ids[0]}`]) {
      const { status, text } = await api.request('GET', path)
      expect(status, `${path}: ${text}`).toBe(200)
    }
    const { body } = await api.request('POST', '/v1/retrieve', { body: { record_access: true } })
    expect(body).toMatchObject({ root_ids: expect.arrayContaining(ids) })
    const reinforced = await api.request('POST', `/v1/records/${ids[0]}/reinforce`, { body: reason })
    expect(reinforced.status).toBe(200)
    const penalized = await api.request('POST', `/v1/records/${ids[1]}/penalize`, {
      body: { ...reason, amount: 1 },
    })
    expect(penalized.status).toBe(200)
  })

  it('does not break metrics when payload counters overflow their sum', async () => {
    const counted = { kind: 'competence', skill_name: 's', triggers: [], recipe: [{ step: 'x' }] }
    const lists = { required_tools: [], failure_modes: [], fallbacks: [] }
    const performance = { success_count: 1, failure_count: 1, success_rate: 0.5 }
    for (const name of ['one', 'two']) {
      const id = await create({
        type: 'competence',
        payload: { ...counted, skill_name: name, ...lists, performance },
      })
      await sql`
        update contents set payload = jsonb_set(payload, '{performance,success_count}', '1.7e308')
        where record_id = ${id}::uuid
      `.execute(api.db)
    }
    const { status, text } = await api.request('GET', '/v1/metrics')
    expect(status, text).toBe(200)
  })
})
