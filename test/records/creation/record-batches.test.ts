import { afterAll, describe, expect, it } from 'vitest'
import {
  type Body,
  countRows,
  create,
  expectProblem,
  fact,
  payloads,
  pointersOf,
  read,
} from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const post = (body: unknown) => app.request('POST', '/v1/records', { body })

describe('an entity identifier', () => {
  const entity = (value: string, more: object = {}) => ({
    type: 'entity',
    payload: { ...payloads.entity, identifiers: [{ namespace: 'git', value }] },
    ...more,
  })

  it('is unique within its scope', async () => {
    await create(app, entity('one'))
    expectProblem(await post(entity('one')), 409, 'identifier_taken')
    await create(app, entity('one', { scope: 'elsewhere' }))
    expectProblem(await post(entity('one', { scope: 'elsewhere' })), 409, 'identifier_taken')
  })

  it('is given to one of twenty concurrent creates', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(entity('contested'))))
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 201) expectProblem(answer, 409, 'identifier_taken')
  })

  it('follows a patch that moves it to another entity', async () => {
    const first = await create(app, entity('patched'))
    const patch = { payload: { identifiers: [{ namespace: 'git', value: 'moved' }] } }
    expect((await app.request('PATCH', `/v1/records/${first.id}`, { body: patch })).status).toBe(200)
    await create(app, entity('patched'))
    expectProblem(await post(entity('moved')), 409, 'identifier_taken')
  })
})

describe('POST /v1/records/batch', () => {
  const batch = (records: unknown[], more: object = {}) =>
    app.request('POST', '/v1/records/batch', { body: { records, ...more } })

  it('stores the valid records in order and reports why others are refused', async () => {
    const known = await create(app, fact())
    const sharedId = app.ids.next()
    const { status, body } = await batch([
      fact({ tags: ['0'] }),
      { type: 'semantic' },
      fact({ id: known.id }),
      fact({ id: sharedId }),
      fact({ id: sharedId }),
      fact({ relations: [{ predicate: 'supports', target_id: sharedId }] }),
      fact({ relations: [{ predicate: 'supports', target_id: app.ids.next() }] }),
      'nonsense',
    ])
    expect(status).toBe(200)
    const { results } = body as Body
    expect(results.map((result: Body) => [result.index, result.status])).toEqual([
      [0, 201],
      [1, 422],
      [2, 409],
      [3, 201],
      [4, 409],
      [5, 201],
      [6, 404],
      [7, 422],
    ])
    expect(results[1].problem).toMatchObject({ code: 'validation_failed' })
    expect(results[1].problem.errors[0].pointer).toBe('/records/1/payload')
    expect(await read(app, results[5].record.id)).toEqual(results[5].record)
  })

  it('stores all or nothing when atomic is true', async () => {
    const before = await countRows(app, 'records')
    const failed = await batch([fact(), fact({ id: (await create(app, fact())).id })], { atomic: true })
    expectProblem(failed, 409, 'record_exists')
    expect(pointersOf(failed)).toEqual(['/records/1'])
    expect(await countRows(app, 'records')).toBe(before + 1)
    const stored = await batch([fact(), fact()], { atomic: true })
    expect(stored.status).toBe(201)
    expect(await countRows(app, 'records')).toBe(before + 3)
    expectProblem(await batch([fact(), { type: 'x' }], { atomic: true }), 422, 'validation_failed')
  })

  it('accepts up to a thousand records', async () => {
    const { body } = await batch(Array.from({ length: 1_000 }, () => fact()))
    expect((body as Body).results.every((result: Body) => result.status === 201)).toBe(true)
    expectProblem(await batch(Array.from({ length: 1_001 }, () => fact())), 422, 'validation_failed')
    expectProblem(await batch([]), 422, 'validation_failed')
  })
})
