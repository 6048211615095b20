import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { isLongRun } from '../support/long-run.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import { buildClaim, mergeRecords, readLineage, revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the racing tests' } })
afterAll(() => app.close())

async function createMany(count: number): Promise<string[]> {
  const records = Array.from({ length: count }, () => buildClaim(`fact ${app.ids.next()}`))
  const { body } = await app.request('POST', '/v1/records/batch', { body: { records, atomic: true } })
  return (body as Body).results.map(({ record }: Body) => record.id)
}

it('one of twenty concurrent supersede calls on a record succeeds, and the others learn its successor', async () => {
  const old = await create(app, buildClaim('old'))
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      revise(app, 'supersede', old.id, { record: buildClaim(`new ${n}`) }),
    ),
  )
  const [winner, ...others] = answers.flatMap(({ status, body }) =>
    status === 201 ? [(body as Body).record] : [],
  )
  expect(others).toEqual([])
  const losers = answers.filter(({ status }) => status !== 201)
  expect(losers.map(({ body }) => body)).toEqual(
    losers.map(() =>
      expect.objectContaining({ status: 409, code: 'already_superseded', superseded_by: winner.id }),
    ),
  )
  expect(await read(app, old.id)).toMatchObject({
    version: 2,
    payload: { revision: { superseded_by: winner.id } },
  })
  expect((await readLineage(app, old.id)).nodes).toHaveLength(2)
})

it('concurrent revisions of the same records revise each once and fail none unexpectedly', async () => {
  for (const seed of isLongRun ? [1, 2, 3] : [1]) {
    const ids = await createMany(12)
    const some = fc.shuffledSubarray(ids, { minLength: 4, maxLength: 9 })
    const merges = fc.sample(some, { seed, numRuns: 14 })
    const singles = fc.sample(fc.constantFrom(...ids), { seed, numRuns: 12 })
    const answers = await Promise.all([
      ...merges.map((set) => mergeRecords(app, set, buildClaim('merged'))),
      ...singles.map((id, n) =>
        n % 2 === 0
          ? revise(app, 'supersede', id, { record: buildClaim('superseding') })
          : revise(app, 'contest', id, { contesting_ref: singles[n - 1] ?? id }),
      ),
    ])
    // Both may be the same record, which cannot contest itself.
    expect(answers.filter(({ status }) => ![200, 201, 409, 422].includes(status))).toEqual([])
    expect(answers.some(({ status }) => status === 201)).toBe(true)
    const { rows } = await app.database.pool.query(
      `select record_id from status_changes where record_id = any($1) group by record_id having count(*) > 1`,
      [ids],
    )
    expect(rows).toEqual([])
  }
})

it('concurrent merges of overlapping records do not deadlock', async () => {
  const ids = await createMany(20)
  const sets = fc.sample(fc.shuffledSubarray(ids, { minLength: 2, maxLength: 14 }), { seed: 7, numRuns: 12 })
  const answers = await Promise.all(sets.map((set) => mergeRecords(app, set, buildClaim('merged'))))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]))
  const merged = answers.flatMap(({ status }, index) => (status === 201 ? (sets[index] ?? []) : []))
  expect(new Set(merged).size).toBe(merged.length)
  for (const id of ids) {
    expect((await read(app, id)).status).toBe(merged.includes(id) ? 'merged' : 'active')
  }
})

it('concurrent revisions with links and erasures leave no edge without an end and no unexpected failure', async () => {
  for (const seed of isLongRun ? [1, 2, 3, 4] : [1]) {
    const ids = await createMany(10)
    const erased = ids.slice(0, 3)
    const others = ids.slice(3)
    const some = (most: number) => fc.shuffledSubarray(ids, { minLength: 2, maxLength: most })
    const sets = fc.sample(some(6), { seed, numRuns: 5 })
    const pairs = fc.sample(some(2), { seed, numRuns: 8 })
    const answers = await Promise.all([
      ...sets.map((set, n) => mergeRecords(app, set, buildClaim(`merged ${n}`))),
      ...erased.map((id) => revise(app, 'erase', id)),
      ...others.map((id, n) => revise(app, 'supersede', id, { record: buildClaim(`superseding ${n}`) })),
      ...pairs.map(([id = '', target]) =>
        app.request('POST', `/v1/records/${id}/relations`, {
          body: { predicate: 'near', target_id: target },
        }),
      ),
    ])
    expect(answers.filter(({ status }) => ![200, 201, 409, 410].includes(status))).toEqual([])
  }
})
