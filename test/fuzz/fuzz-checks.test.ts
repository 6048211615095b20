import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateValue } from '../support/fuzz/generate-value.ts'
import { renderJson } from '../support/fuzz/hostile-values.ts'
import { findAnswerFaults } from '../support/fuzz/judge-answer.ts'
import { mutate } from '../support/fuzz/mutate-value.ts'
import { createRandom } from '../support/fuzz/random.ts'
import { rememberRequests } from '../support/fuzz/remember-requests.ts'
import { watchWrites } from '../support/fuzz/watch-writes.ts'
import { operations, schemas } from '../support/http/openapi-operations.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const attack = { operation: 'listKeys', method: 'GET', target: '/v1/keys?limit=1', headers: [] }
const problem = (status: number, more: object = {}) => ({
  status,
  milliseconds: 1,
  headers: new Map([['x-request-id', 'r']]),
  text: JSON.stringify({ status, code: 'validation_failed', ...more }),
})
const documented = () => {}
const undocumented = () => {
  throw new Error('no such status')
}

describe('the check of an answer', () => {
  it('returns nothing for a documented answer', () => {
    expect(findAnswerFaults(attack, problem(422), documented)).toEqual([])
  })

  it.each<[string, ReturnType<typeof findAnswerFaults>]>([
    ['a defect', findAnswerFaults(attack, problem(500), documented)],
    ['no answer', findAnswerFaults(attack, undefined, documented)],
    [
      'innards shown',
      findAnswerFaults(attack, problem(422, { detail: 'at run (/app/src/main.ts:1:1)' }), documented),
    ],
    ['a problem of another status', findAnswerFaults(attack, problem(422, { status: 400 }), documented)],
    ['not as documented', findAnswerFaults(attack, problem(418), undocumented)],
    ['503 without retry-after', findAnswerFaults(attack, problem(503), documented)],
    ['405 without allow', findAnswerFaults(attack, problem(405), documented)],
    ['long in coming', findAnswerFaults(attack, { ...problem(422), milliseconds: 60_000 }, documented)],
  ])('finds: %s', (fault, faults) => {
    expect(faults.join()).toContain(fault)
  })
})

describe('a composed request', () => {
  const draw = (seed: number) => {
    const drawing = { random: createRandom(seed), id: () => 'an id', line: () => '{}' }
    return operations.flatMap(({ body }) => (body ? [renderJson(generateValue(body.schema, drawing))] : []))
  }

  it('is the same for the same seed, and differs for another', () => {
    expect(draw(7)).toEqual(draw(7))
    expect(draw(7)).not.toEqual(draw(8))
  })

  it('is made for every operation with a body, and has an altered body when that is requested', () => {
    expect(draw(1).length).toBeGreaterThan(25)
    const record = { type: 'semantic', tags: ['a'], payload: { kind: 'semantic' } }
    const bent = new Set(
      Array.from({ length: 50 }, (_, seed) => renderJson(mutate(record, createRandom(seed)))),
    )
    expect(bent.size).toBeGreaterThan(40)
    expect(Object.keys(schemas)).toContain('NewRecord')
  })
})

describe('the memory of requests', () => {
  it('adds to a text the last requests that named its records', () => {
    const broken = '0197f3a2-6f6a-7c41-9d52-000000000001'
    const other = '0197f3a2-6f6a-7c41-9d52-000000000002'
    const requests = rememberRequests(2)
    requests.add(1, `PATCH /v1/records/${broken}`, '200')
    requests.add(2, `DELETE /v1/records/${other}`, '200')
    requests.add(3, 'POST /v1/import', `200 {"id":"${broken}"}`)
    requests.add(4, `PATCH /v1/records/${broken.toUpperCase()}`, '409')
    expect(requests.describe(`BROKEN audit: ${broken}`)).toBe(
      [
        `BROKEN audit: ${broken}`,
        `3. POST /v1/import\n→ 200 {"id":"${broken}"}`,
        `4. PATCH /v1/records/${broken.toUpperCase()}\n→ 409`,
      ].join('\n\n'),
    )
  })
})

describe('the watch for writes', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await startTestApp()
  })
  afterAll(() => app.close())

  it('reports a write to any table once it is committed', async () => {
    const writes = await watchWrites(app.database.pool)
    await app.issueKey(['records:read'])
    expect(await writes.drain()).toEqual(['api_keys'])
    expect(await writes.drain()).toEqual([])
    const undone = app.db.transaction().execute(async (tx) => {
      await sql`update api_keys set name = 'other'`.execute(tx)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await sql`update api_keys set last_used_at = now()`.execute(app.db)
    expect(await writes.drain()).toEqual([])
    await sql`update api_keys set name = 'one'`.execute(app.db)
    await sql`update api_keys set name = 'other'`.execute(app.db)
    expect(await writes.drain()).toEqual(['api_keys'])
  })
})
