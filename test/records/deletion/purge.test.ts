import { afterAll, describe, expect, it } from 'vitest'
import { purgeForgotten } from '../../../src/records/index.ts'
import {
  type Body,
  countRows,
  create,
  expectProblem,
  fact,
  read,
} from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_FORGOTTEN_RETENTION: '2d' } })
afterAll(() => app.close())

const day = 86_400_000
const remove = (id: string) => app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=outdated`)
const restore = (id: string) =>
  app.request('POST', `/v1/records/${id}/restore`, {
    body: { actor: 'ada', rationale: 'needed after all' },
  })

async function forgotten(more: object = {}): Promise<Body> {
  const record = await create(app, fact(more))
  return (await remove(record.id)).body as Body
}

describe('a forgotten record after its retention', () => {
  it('answers record_purged, whether or not the purge job has run', async () => {
    const { id } = await forgotten()
    app.clock.advance(2 * day)
    for (const query of ['', '?include_forgotten=true']) {
      expectProblem(await app.request('GET', `/v1/records/${id}${query}`), 410, 'record_purged')
    }
    expectProblem(await restore(id), 410, 'record_purged')
    await purgeForgotten(app.db, app.clock.now(), 1_000)
    expectProblem(await app.request('GET', `/v1/records/${id}`), 410, 'record_purged')
    expectProblem(await restore(id), 410, 'record_purged')
    expectProblem(await remove(id), 410, 'record_purged')
  })

  it('is in no list and no export, whether or not the purge job has run', async () => {
    const scope = 'over'
    const { id } = await forgotten({ scope })
    const other = await create(app, fact({ scope }))
    const query = `?include_forgotten=true&scope=${scope}`
    const listIds = async () => {
      const { body } = await app.request('GET', `/v1/records${query}`)
      const { text } = await app.request('GET', `/v1/export${query}`)
      return [
        (body as Body).items,
        text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      ].map((records) => records.map((each: Body) => each.id).sort())
    }
    const both = [id, other.id].sort()
    expect(await listIds()).toEqual([both, both])
    app.clock.advance(2 * day)
    expect(await listIds()).toEqual([[other.id], [other.id]])
  })

  it('is purged with everything that belongs to it except its log and the records it was linked to', async () => {
    const other = await create(app, fact())
    const relations = [{ predicate: 'supports', target_id: other.id }]
    const { id } = await forgotten({ relations })
    const later = await forgotten()
    app.clock.advance(2 * day - 1)
    await purgeForgotten(app.db, app.clock.now(), 1_000)
    const before = [await countRows(app, 'records'), await countRows(app, 'audit_entries')]
    const [kept, log] = before as [number, number]
    app.clock.advance(1)
    await restore(later.id)
    expect(await purgeForgotten(app.db, app.clock.now(), 1_000)).toBe(2)
    expect(await countRows(app, 'records')).toBe(kept - 2)
    expect(await countRows(app, 'contents')).toBe(kept - 2)
    expect(await countRows(app, 'audit_entries')).toBe(log)
    const audit = await app.request('GET', `/v1/records/${id}/audit`)
    expect((audit.body as Body).items.map((entry: Body) => entry.action)).toEqual(['create', 'delete'])
    expect((await read(app, other.id)).relations).toEqual([])
  })

  it('stays hidden from other keys, and its id cannot be used again', async () => {
    const { id } = await forgotten({ scope: 'mine', sensitivity: 'medium' })
    app.clock.advance(2 * day)
    await purgeForgotten(app.db, app.clock.now(), 1_000)
    const theirs = await app.issueKey(['records:read'], { scopes: ['theirs'], max_sensitivity: 'hyper' })
    const low = await app.issueKey(['records:read'], { scopes: ['mine'], max_sensitivity: 'public' })
    const near = await app.issueKey(['records:read'], { scopes: ['mine'], max_sensitivity: 'low' })
    for (const key of [theirs, low]) {
      for (const path of ['', '/audit']) {
        expectProblem(await app.request('GET', `/v1/records/${id}${path}`, { key }), 404, 'record_not_found')
      }
    }
    const problem = expectProblem(
      await app.request('GET', `/v1/records/${id}`, { key: near }),
      410,
      'record_purged',
    )
    expect(problem.reason).toBeUndefined()
    expectProblem(await app.request('GET', `/v1/records/${id}/audit`, { key: near }), 403, 'above_ceiling')
    expectProblem(await app.request('POST', '/v1/records', { body: fact({ id }) }), 409, 'record_exists')
    const batch = { records: [fact({ id: id.toUpperCase() }), fact()] }
    const { body } = await app.request('POST', '/v1/records/batch', { body: batch })
    expect((body as Body).results.map((result: Body) => result.status)).toEqual([409, 201])
  })

  it('is purged once when two workers purge many records', async () => {
    const drafts = Array.from({ length: 20 }, () => fact())
    const { body } = await app.request('POST', '/v1/records/batch', { body: { records: drafts } })
    for (const { record } of (body as Body).results) await remove(record.id)
    app.clock.advance(2 * day)
    const purge = async () => {
      let count = 0
      for (;;) {
        const purged = await purgeForgotten(app.db, app.clock.now(), 3)
        if (purged === 0) return count
        count += purged
      }
    }
    const [one, other] = await Promise.all([purge(), purge()])
    // The last batch of one worker may find its rows locked by the other, and ends.
    expect((one ?? 0) + (other ?? 0) + (await purge())).toBe(20)
    expect(await purgeForgotten(app.db, app.clock.now(), 3)).toBe(0)
  })
})
