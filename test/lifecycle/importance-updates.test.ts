import { afterAll, describe, expect, it } from 'vitest'
import { createAccessService } from '../../src/lifecycle/index.ts'
import { purgeForgotten } from '../../src/records/index.ts'
import { captureFact, triple } from '../support/requests/capture-requests.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  read,
} from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the importance tests' } })
afterAll(() => app.close())

const day = 86_400_000
const reason = { actor: 'agent', rationale: 'it helped' }
const access = (id: string) => app.request('POST', `/v1/records/${id}/access`)
const readImportanceHistory = async (id: string, query = ''): Promise<Body> =>
  (await app.request('GET', `/v1/records/${id}/importance-history${query}`)).body
const explained = async (id: string): Promise<Body> => {
  const body: Body = (await app.request('GET', `/v1/records/${id}/explain`)).body
  return body.importance
}

const episode = () => create(app, { type: 'episodic', payload: payloads.episodic })

/** The stored score must be nearly the exact score of this moment. */
async function expectExact(id: string): Promise<void> {
  const { value } = await explained(id)
  expect(Math.abs((await read(app, id)).importance - value)).toBeLessThanOrEqual(0.01)
}

describe('the importance of a record', () => {
  it('changes with each use at once and leaves version and update time unchanged', async () => {
    const { id, importance, version, updated_at } = await episode()
    for (let use = 1; use <= 12; use++) {
      app.clock.advance(3 * day)
      await access(id)
      expect(await read(app, id)).toMatchObject({ version, updated_at, access_count: use })
      await expectExact(id)
    }
    expect((await read(app, id)).importance).toBeGreaterThan(importance)
    const { factors } = await explained(id)
    expect(factors.access.value).toBeCloseTo(Math.log1p(12) / Math.log1p(20), 12)
    expect(factors.stability.value).toBe(1)
    expect(factors.recency.value).toBe(1)
  })

  it('changes with reinforcement, and the answer contains the new value', async () => {
    const { id, importance } = await episode()
    app.clock.advance(day)
    const { body } = await app.request('POST', `/v1/records/${id}/reinforce`, { body: reason })
    expect(body).toMatchObject({ access_count: 1, importance: (await explained(id)).value })
    expect((body as Body).importance).not.toBe(importance)
    expect(await read(app, id)).toEqual(body)
  })

  it('changes with bulk reinforcement', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await episode()).id))
    app.clock.advance(day)
    const answer = await app.request('POST', '/v1/records/reinforce', { body: { ids, ...reason } })
    expect(answer.status).toBe(200)
    for (const id of ids) expect((await readImportanceHistory(id)).items).toHaveLength(1)
    for (const id of ids) await expectExact(id)
  })

  it('counts a served access as a quarter of a use', async () => {
    const tag = 'of the shelf'
    const { id } = await create(app, fact({ tags: [tag] }))
    for (let time = 0; time < 4; time++) {
      const key = await app.issueKey(['records:read'], { max_sensitivity: 'hyper' })
      await app.request('POST', '/v1/retrieve', { body: { tags: [tag] }, key })
      await app.services.access.flush()
    }
    const { factors } = await explained(id)
    expect((await read(app, id)).access_count).toBe(4)
    expect(factors.access.value).toBeCloseTo(Math.log1p(1) / Math.log1p(20), 12)
    await expectExact(id)
  })

  it('keeps its accesses after a patch and a restoration', async () => {
    const { id } = await episode()
    for (const _ of [1, 2, 3, 4, 5]) {
      await access(id)
      app.clock.advance(day)
    }
    const patched = await app.request('PATCH', `/v1/records/${id}`, { body: { base_importance: 0.9 } })
    expect((patched.body as Body).importance).toBeCloseTo((await explained(id)).value, 12)
    expect(await read(app, id)).toEqual(patched.body)
    await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)
    app.clock.advance(20 * day)
    const restored = await app.request('POST', `/v1/records/${id}/restore`, { body: reason })
    expect((restored.body as Body).importance).toBeCloseTo((await explained(id)).value, 12)
    // Restoring the record counts as a use.
    expect(restored.body).toMatchObject({ access_count: 6, last_accessed_at: app.clock.now().toISOString() })
    expect(await read(app, id)).toEqual(restored.body)
  })

  it('changes with each confirmation by another source', async () => {
    const captureFrom = (source: string) =>
      captureFact(app, triple('linux', { user: 'Ada' }), { source, scope: 'confirmed' })
    const { record_id: id } = (await captureFrom('one')).fact
    const scores = [(await read(app, id)).importance]
    for (const source of ['two', 'three', 'four']) {
      await captureFrom(source)
      await expectExact(id)
      scores.push((await read(app, id)).importance)
    }
    expect(scores).toEqual([...scores].sort())
    expect((await explained(id)).factors.confirmations.value).toBeCloseTo(Math.log1p(3) / Math.log1p(5), 12)
  })

  it('stays exact with ten thousand uses and concurrent workers', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await episode()).id))
    const [busy = ''] = ids
    const faults: unknown[] = []
    const report = (_: string, error?: unknown) => void faults.push(error)
    const workers = [1, 2, 3].map(() => createAccessService({ db: app.db, clock: app.clock }))
    const reader = (key: unknown) => ({ key_id: `key ${key}`, actor: 'agent' })
    for (let time = 0; time < 10_000; time++) workers[0]?.noteServed([busy], reader(time), report)
    for (let time = 0; time < 20; time++) {
      workers[1]?.noteServed(ids, reader(-1 - time), report)
      workers[2]?.noteServed([...ids].reverse(), reader(-21 - time), report)
    }
    await Promise.all(workers.map((worker) => worker.flush()))
    expect(faults).toEqual([])
    expect((await read(app, busy)).access_count).toBe(10_040)
    for (const id of ids) await expectExact(id)
  })

  it('is defined for accesses in the future and before creation', async () => {
    const { id } = await episode()
    const far = (days: number) => new Date(app.clock.now().getTime() + days * day)
    await app.db
      .insertInto('access_log')
      .values([-400, -1, 1, 400].map((days) => ({ record_id: id, at: far(days), kind: 'used', actor: 'a' })))
      .execute()
    await app.db
      .updateTable('records')
      .set({ access_count: 4, last_accessed_at: far(400), base_importance: Number.MIN_VALUE })
      .where('id', '=', id)
      .execute()
    expect((await access(id)).status).toBe(200)
    await expectExact(id)
  })
})

describe('GET /v1/records/{id}/importance-history', () => {
  it('lists every change, oldest first and without gaps, also after concurrent changes', async () => {
    const { id, importance: initial } = await episode()
    const started = app.clock.now().toISOString()
    await Promise.all(Array.from({ length: 30 }, () => access(id)))
    const { items } = await readImportanceHistory(id)
    expect(items.length).toBeGreaterThan(3)
    for (const [index, item] of items.entries()) {
      expect(item.old).toBe(items[index - 1]?.new ?? initial)
      expect(Math.abs(item.new - item.old)).toBeGreaterThan(0.01)
      expect(item).toEqual({ old: item.old, new: item.new, changed_at: started })
    }
    expect((await read(app, id)).importance).toBe(items.at(-1).new)
    await expectExact(id)
  })

  it('returns pages that do not overlap, and refuses cursors of other records', async () => {
    const { id } = await episode()
    const other = await episode()
    for (const record of [id, other.id]) {
      for (let use = 0; use < 5; use++) {
        app.clock.advance(10 * day)
        await access(record)
      }
    }
    const { items } = await readImportanceHistory(id)
    const pages: Body[] = []
    let cursor: string | undefined
    do {
      const page: Body = await readImportanceHistory(id, `?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      pages.push(...page.items)
      cursor = page.next_cursor
    } while (cursor)
    expect(items.length).toBeGreaterThan(3)
    expect(pages).toEqual(items)
    const first = await readImportanceHistory(id, '?limit=2')
    const stolen = await app.request(
      'GET',
      `/v1/records/${other.id}/importance-history?cursor=${first.next_cursor}`,
    )
    expectProblem(stolen, 400, 'invalid_cursor')
  })

  it('is refused to a key that sees the record redacted, and not found for one that does not see it', async () => {
    const { id } = await create(app, fact({ sensitivity: 'medium' }))
    await access(id)
    const [low, lower] = await Promise.all([
      app.issueKey(['records:read'], { max_sensitivity: 'low' }),
      app.issueKey(['records:read'], { max_sensitivity: 'public' }),
    ])
    const ask = (key: string) => app.request('GET', `/v1/records/${id}/importance-history`, { key })
    expectProblem(await ask(low), 403, 'above_ceiling')
    expectProblem(await ask(lower), 404, 'record_not_found')
  })

  it.each(['forgotten', 'purged', 'erased'])('is available for a record that is %s', async (end) => {
    const { id } = await create(app, fact({ payload: { ...fact().payload, object: `it is ${end}` } }))
    await access(id)
    const { items } = await readImportanceHistory(id)
    expect(items).toHaveLength(1)
    if (end === 'erased') await app.request('POST', `/v1/records/${id}/erase`, { body: reason })
    else await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=r`)
    if (end === 'purged') await purgeForgotten(app.db, new Date(app.clock.now().getTime() + 400 * day), 10)
    expect(await readImportanceHistory(id)).toEqual({ items })
    expect((await explained(id)).factors.access.value).toBeCloseTo(Math.log1p(1) / Math.log1p(20), 12)
  })
})
