import { describe, expect, it } from 'vitest'
import { openDriftApp, shareDriftApp } from '../support/apps/drift-app.ts'
import {
  type Body,
  create,
  expectProblem,
  payloads,
  pointersOf,
} from '../support/requests/record-requests.ts'

const path = '/v1/maintenance/drift/check'
const itemsOf = (report: Body) =>
  report.items.map(({ record_id: _, ...item }: Body) => [item.kind, item.reference, item.found])

const openDrift = shareDriftApp()

describe('POST /v1/maintenance/drift/check', () => {
  it('reports found, missing and unknown references, and changes nothing', async () => {
    const { app, createFact, check, root, readStatus, readMisses } = await openDrift({
      'src/a.ts': 'run',
      'package.json': '{"scripts": {"build": ""}}',
    })
    const first = await createFact('src/a.ts#run, src/b.ts and npm run build')
    const pinned = await createFact(`${root}/src/a.ts#walk and ${root}/package.json#x`, {
      lifecycle: { pinned: true },
    })
    await createFact('nothing')
    await create(app, { type: 'working', payload: { ...payloads.working, next_actions: ['src/c.ts'] } })
    const report = await check()
    expect(report).toMatchObject({ checked: 2, found: 2, missing: 3, unknown: 0, score: 40, complete: true })
    expect(itemsOf(report)).toEqual([
      ['path', 'src/b.ts', false],
      ['symbol', `${root}/src/a.ts#walk`, false],
      ['symbol', `${root}/package.json#x`, false],
      ['symbol', 'src/a.ts#run', true],
      ['script', 'npm run build', true],
    ])
    expect(report.items.map(({ record_id }: Body) => record_id)).toEqual(
      [first, pinned, pinned, first, first].map(({ id }) => id),
    )
    expect(await check()).toEqual(report)
    expect([await readStatus(first), await readStatus(pinned)]).toEqual(['active', 'active'])
    expect(await readMisses()).toEqual([])
  })

  it('reports a score of 100 without references', async () => {
    const { check, createFact } = await openDrift()
    expect(await check()).toEqual({
      checked: 0,
      found: 0,
      missing: 0,
      unknown: 0,
      score: 100,
      complete: true,
      items: [],
    })
    await createFact('npm run build')
    const report = await check()
    expect(report).toMatchObject({ checked: 1, unknown: 1, score: 100 })
    expect(itemsOf(report)).toEqual([['script', 'npm run build', undefined]])
  })

  it('leaves out invalidated and forgotten records', async () => {
    const { app, check, createFact, setStatus } = await openDrift()
    const challenged = await createFact('a/1.ts')
    const invalidated = await createFact('a/2.ts')
    const forgotten = await createFact('a/3.ts')
    await setStatus(challenged, 'challenged')
    await setStatus(invalidated, 'invalidated')
    await app.request('DELETE', `/v1/records/${forgotten.id}?actor=a&rationale=b`)
    expect(itemsOf(await check())).toEqual([['path', 'a/1.ts', false]])
  })

  it('lists missing references first, at most 500', async () => {
    const { check, createFact } = await openDrift({ 'src/a.ts': '' })
    const some = (from: number) => Array.from({ length: 49 }, (_, n) => `gone/${from + n}.ts`)
    for (let n = 0; n < 11; n++) await createFact(['src/a.ts', ...some(49 * n)])
    const report = await check()
    expect(report).toMatchObject({ checked: 11, found: 11, missing: 539, score: (100 * 11) / 550 })
    expect(report.items).toHaveLength(500)
    expect(report.items.every(({ found }: Body) => found === false)).toBe(true)
  })

  it('covers the records that the key sees completely, in the given scope', async () => {
    const { app, check, createFact } = await openDrift()
    await createFact('a/team.ts', { scope: 'team' })
    await createFact('a/other.ts', { scope: 'other' })
    await createFact('a/secret.ts', { scope: 'team', sensitivity: 'high' })
    await createFact('a/redacted.ts', { scope: 'team', sensitivity: 'medium' })
    await createFact('a/none.ts')
    const key = await app.issueKey(['maintenance:run', 'records:read'], {
      scopes: ['team'],
      max_sensitivity: 'low',
    })
    const referencesOf = (report: Body) => report.items.map(({ reference }: Body) => reference).sort()
    expect(referencesOf(await check({}, key))).toEqual(['a/none.ts', 'a/team.ts'])
    expect(referencesOf(await check({ scope: 'team' }, key))).toEqual(['a/team.ts'])
    expect(referencesOf(await check({ scope: 'other' }))).toEqual(['a/other.ts'])
    expect(await check({ scope: 'nobody' })).toMatchObject({ checked: 0, score: 100 })
    const refused = await app.request('POST', path, { body: { scope: 'other' }, key })
    expectProblem(refused, 403, 'outside_trust')
  })

  it('requires the permission to run jobs, and shows references only to keys that may read', async () => {
    const { app, check, createFact } = await openDrift()
    await createFact('a/gone.ts')
    const reader = await app.issueKey(['records:read', 'records:write', 'lifecycle:write'])
    expectProblem(await app.request('POST', path, { body: {}, key: reader }), 403, 'forbidden')
    expectProblem(await app.request('POST', path, { body: {}, key: false }), 401, 'unauthenticated')
    const runner = await app.issueKey(['maintenance:run'])
    expect(await check({}, runner)).toMatchObject({ checked: 1, missing: 1, score: 0, items: [] })
  })

  it('refuses unknown options', async () => {
    const { app } = await openDrift()
    for (const [body, pointer] of [
      [{ roots: ['/'] }, '/roots'],
      [{ scope: '' }, '/scope'],
      [{ scope: 3 }, '/scope'],
    ] as const) {
      const answer = await app.request('POST', path, { body })
      expectProblem(answer, 422, 'validation_failed')
      expect(pointersOf(answer)).toEqual([pointer])
    }
  })

  it('is refused without drift roots', async () => {
    const { app, createFact } = await openDriftApp({}, { MEMBRANE_DRIFT_ROOTS: '' })
    await createFact('src/a.ts')
    expectProblem(await app.request('POST', path, { body: {} }), 409, 'no_drift_roots')
  })

  it('finds the few records with references among many without', async () => {
    const { app, check, createFact } = await openDrift()
    const records = Array.from({ length: 450 }, (_, n) => ({
      type: 'semantic',
      payload: { kind: 'semantic', subject: `s${n}`, predicate: 'p', object: n },
    }))
    const stored = await app.request('POST', '/v1/records/batch', { body: { records } })
    expect(stored.status).toBeLessThan(300)
    await createFact('a/last.ts')
    expect(await check()).toMatchObject({ checked: 1, missing: 1, complete: true })
  })
})
