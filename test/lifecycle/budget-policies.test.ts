import { afterAll, describe, expect, it } from 'vitest'
import { sendChunks } from '../support/http/send-chunks.ts'
import { createFacts, day, putBudget, runDecay } from '../support/requests/budget-requests.ts'
import { listPlanChanges, plan } from '../support/requests/plan-requests.ts'
import { type Body, create, expectProblem, fact, pointersOf } from '../support/requests/record-requests.ts'
import { rootKey, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const path = '/v1/policies/budgets'
const put = (scope: string, body: object, key?: string) =>
  app.request('PUT', `${path}/${scope}`, { body, ...(key === undefined ? {} : { key }) })

describe('a budget of a scope', () => {
  it('is set, read, listed, replaced and deleted', async () => {
    expectProblem(await app.request('GET', `${path}/team`), 404, 'budget_not_found')
    const budget = { scope: 'team', max_records: 10, protect: ['entity', 'procedural'], mode: 'hard' }
    const { scope: _, ...choice } = budget
    expect(await putBudget(app, 'team', choice)).toEqual(budget)
    expect((await app.request('GET', `${path}/team`)).body).toEqual(budget)
    expect(await putBudget(app, 'team', { max_bytes: 5_000 })).toEqual({
      scope: 'team',
      max_bytes: 5_000,
      protect: [],
      mode: 'soft',
    })
    await putBudget(app, encodeURIComponent('a/b ü'), { max_records: 0 })
    const { items } = (await app.request('GET', path)).body as Body
    expect(items.map((each: Body) => each.scope).sort()).toEqual(['a/b ü', 'team'])
    expect((await app.request('DELETE', `${path}/team`)).status).toBe(204)
    expectProblem(await app.request('DELETE', `${path}/team`), 404, 'budget_not_found')
  })

  it('cannot be set where no URL could name it', async () => {
    const body = '{"max_records":10}'
    const answer = await sendChunks(
      app.url,
      `PUT ${path}/.. HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${rootKey}\r\n`,
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 404 .*"The scope in the path must not be \. or \.\./s)
  })

  it('is deleted once for one Idempotency-Key', async () => {
    await putBudget(app, 'retried', { max_records: 10 })
    const headers = { 'idempotency-key': 'delete-once' }
    expect((await app.request('DELETE', `${path}/retried`, { headers })).status).toBe(204)
    await putBudget(app, 'retried', { max_records: 10 })
    const again = await app.request('DELETE', `${path}/retried`, { headers })
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([204, 'true'])
    expect((await app.request('GET', `${path}/retried`)).status).toBe(200)
  })

  it('is listed in pages, after the default', async () => {
    await app.request('PUT', path, { body: { max_records: 1_000_000 } })
    for (const scope of ['p1', 'p2', 'p3']) await putBudget(app, scope, { max_records: 10 })
    const found: (string | undefined)[] = []
    let cursor: string | undefined
    do {
      const query = cursor === undefined ? '' : `&cursor=${cursor}`
      const page = (await app.request('GET', `${path}?limit=2${query}`)).body as Body
      found.push(...page.items.map((each: Body) => each.scope))
      cursor = page.next_cursor
    } while (cursor !== undefined)
    expect(found[0]).toBeUndefined()
    expect(found.filter((scope) => scope?.startsWith('p'))).toEqual(['p1', 'p2', 'p3'])
    expect((await app.request('DELETE', path)).status).toBe(204)
    expectProblem(await app.request('DELETE', path), 404, 'budget_not_found')
  })

  it.each([
    ['both measures', { max_records: 1, max_bytes: 1 }, '/max_bytes'],
    ['no measure', { mode: 'soft' }, ''],
    ['a negative limit', { max_records: -1 }, '/max_records'],
    ['a limit that is no integer', { max_bytes: 1.5 }, '/max_bytes'],
    ['an unknown type or layer', { max_records: 1, protect: ['facts'] }, '/protect/0'],
    ['an unknown mode', { max_records: 1, mode: 'strict' }, '/mode'],
    ['an unknown member', { max_records: 1, scope: 'team' }, '/scope'],
  ])('is refused with %s', async (_, body, pointer) => {
    const answer = await put('refused', body)
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toContain(pointer)
    expect((await app.request('GET', `${path}/refused`)).status).toBe(404)
  })
})

describe('a budget that is smaller than what is never forgotten', () => {
  it('is refused with the figures, in records and in bytes', async () => {
    await createFacts(app, 'full', 2, { lifecycle: { pinned: true } })
    await createFacts(app, 'full', 2, { lifecycle: { deletion_policy: 'manual_only' } })
    await createFacts(app, 'full', 3)
    const refused = expectProblem(await put('full', { max_records: 3 }), 422, 'budget_too_small')
    expect(refused).toMatchObject({ max_records: 3, protected_records: 4 })
    expect((await app.request('GET', `${path}/full`)).status).toBe(404)
    await putBudget(app, 'full', { max_records: 4 })
    const guarded = { max_records: 6, protect: ['semantic'] }
    expect(expectProblem(await put('full', guarded), 422, 'budget_too_small').protected_records).toBe(7)
    const inBytes = expectProblem(await put('full', { max_bytes: 1_000 }), 422, 'budget_too_small')
    expect(inBytes.protected_bytes).toBeGreaterThan(4 * 1_000)
    expect((await app.request('GET', `${path}/full`)).body).toMatchObject({ max_records: 4 })
  })

  it('is refused as the default for the scope with the most of it, unless that has a budget', async () => {
    await createFacts(app, 'fullest', 6, { lifecycle: { pinned: true } })
    const answer = await app.request('PUT', path, { body: { max_records: 5 } })
    expect(expectProblem(answer, 422, 'budget_too_small')).toMatchObject({
      max_records: 5,
      protected_records: 6,
      scope: 'fullest',
    })
    await putBudget(app, 'fullest', { max_records: 6 })
    expect((await app.request('PUT', path, { body: { max_records: 5 } })).status).toBe(200)
    await app.request('DELETE', path)
  })
})

describe('a key', () => {
  it('sets budgets of its scopes, and sees those and the default', async () => {
    const key = await app.issueKey(['admin'], { scopes: ['mine'], max_sensitivity: 'hyper' })
    await putBudget(app, 'other', { max_records: 10 })
    expect((await put('mine', { max_records: 10 }, key)).status).toBe(200)
    expectProblem(await put('other', { max_records: 20 }, key), 403, 'outside_trust')
    expectProblem(await app.request('DELETE', `${path}/other`, { key }), 403, 'outside_trust')
    expectProblem(await app.request('GET', `${path}/other`, { key }), 404, 'budget_not_found')
    expectProblem(await app.request('PUT', path, { key, body: { max_records: 1 } }), 403, 'outside_trust')
    expectProblem(await app.request('DELETE', path, { key }), 403, 'outside_trust')
    await app.request('PUT', path, { body: { max_records: 1_000_000 } })
    const { items } = (await app.request('GET', path, { key })).body as Body
    expect(items.map((each: Body) => each.scope)).toEqual([undefined, 'mine'])
    expect((await app.request('DELETE', `${path}/mine`, { key })).status).toBe(204)
    await app.request('DELETE', path)
  })

  it('below the highest ceiling sets none: it would forget records that it does not see', async () => {
    const key = await app.issueKey(['admin'], { scopes: ['mine'], max_sensitivity: 'high' })
    expectProblem(await put('mine', { max_records: 10 }, key), 403, 'outside_trust')
  })

  it('without the permission admin only reads', async () => {
    const key = await app.issueKey(['records:read', 'records:write', 'maintenance:run'])
    expectProblem(await put('mine', { max_records: 10 }, key), 403, 'forbidden')
    expectProblem(await app.request('DELETE', `${path}/mine`, { key }), 403, 'forbidden')
    expect((await app.request('GET', path, { key })).status).toBe(200)
  })

  it('below the highest ceiling sees no place of a record among those that were forgotten', async () => {
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'low' })
    const hidden = { scope: 'ranked', sensitivity: 'hyper', base_importance: 0 }
    await create(app, fact(hidden))
    const { id } = await create(app, fact({ scope: 'ranked', sensitivity: 'low', base_importance: 0.5 }))
    await putBudget(app, 'ranked', { max_records: 0 })
    app.clock.advance(2 * day)
    const { run, changes } = await runDecay(app, { scope: 'ranked' })
    expect(changes.map(({ after }) => after.rank).sort()).toEqual([1, 2])
    const seen = (await app.request('GET', `/v1/maintenance/runs/${run.id}/changes`, { key })).body as Body
    expect(seen.items).toMatchObject([{ record_id: id, action: 'forget' }])
    expect(Object.keys(seen.items[0].after).sort()).toEqual(['forgotten_at', 'purge_at'])
    const { removal } = (await app.request('GET', `/v1/records/${id}/explain`, { key })).body as Body
    expect(Object.keys(removal.numbers)).not.toContain('rank')
  })

  it('below the highest ceiling sees no such place in a plan either', async () => {
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'low' })
    for (const base_importance of [0, 0.1])
      await create(app, fact({ scope: 'planned', sensitivity: 'hyper', base_importance }))
    const { id } = await create(app, fact({ scope: 'planned', sensitivity: 'low', base_importance: 0.5 }))
    await putBudget(app, 'planned', { max_records: 0 })
    app.clock.advance(2 * day)
    const prepared = await plan(app, 'decay', { scope: 'planned' })
    const all = await listPlanChanges(app, prepared)
    expect(all.map(({ after }) => after.rank).sort()).toEqual([1, 2, 3])
    const seen = await listPlanChanges(app, prepared, '', { key })
    expect(seen).toMatchObject([{ record_id: id, action: 'forget' }])
    expect(Object.keys(seen[0]?.after).sort()).toEqual(['forgotten_at', 'purge_at'])
  })
})
