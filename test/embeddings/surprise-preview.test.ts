import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeSurprise } from '../../src/domain/importance/surprise.ts'
import { findThresholds } from '../../src/domain/vectors/similarity-thresholds.ts'
import {
  type Body,
  create,
  expectProblem,
  fact,
  payloads,
  pointersOf,
} from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'
import vectors from '../vectors/surprise.json' with { type: 'json' }

const ids: Record<string, string> = {}
const texts = {
  frozen: 'deployments of the billing service are frozen in december',
  thawed: 'deployments of the billing service resume in january',
}
const saying = (text: string, more: object = {}) =>
  fact({ payload: { ...payloads.semantic, subject: text, predicate: ' ', object: null }, ...more })

const app = await startTestApp()
beforeAll(async () => {
  for (const [name, text] of Object.entries(texts)) ids[name] = (await create(app, saying(text))).id
  ids['scoped'] = (await create(app, saying(texts.frozen, { scope: 'team' }))).id
  ids['hidden'] = (await create(app, saying(texts.frozen, { scope: 'team', sensitivity: 'high' }))).id
  await createEmbeddingWorker(app).run()
})
afterAll(() => app.close())

const preview = (body: object, key?: string) =>
  app.request('POST', '/v1/surprise/preview', { body, ...(key === undefined ? {} : { key }) })

/** Reads every row of every table as text. */
async function readEverything(): Promise<Record<string, string[]>> {
  const { rows } = await app.database.pool.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'api_keys' order by 1`,
  )
  const all: Record<string, string[]> = {}
  for (const { name } of rows) {
    const found = await app.database.pool.query<{ row: string }>(
      `select each::text as row from "${name}" as each order by 1`,
    )
    all[name] = found.rows.map(({ row }) => row)
  }
  return all
}

describe('POST /v1/surprise/preview', () => {
  it('answers the surprise of a text and stores nothing', async () => {
    const before = await readEverything()
    expect(Object.keys(before).length).toBeGreaterThan(15)
    const { status, body } = await preview({ text: texts.frozen })
    expect(status).toBe(200)
    const { neighbours, duplicate_of: of, score, delta, base_before: base, base_importance } = body as Body
    expect(neighbours.map(({ id }: Body) => id)).toEqual([ids['frozen'], ids['thawed']])
    // That of a stored fact with the same words.
    const { worth } = (await app.request('GET', `/v1/records/${ids['frozen']}/explain`)).body as Body
    const expected = computeSurprise(worth.value, neighbours, findThresholds('hash'))
    expect({ score, delta, base_importance, base }).toEqual({
      score: expected.surprise.score,
      delta: expected.surprise.delta,
      base_importance: expected.base_importance,
      base: worth.value,
    })
    expect(of).toBe(ids['frozen'])
    expect(await readEverything()).toEqual(before)
  })

  it('uses the given base importance', async () => {
    const { body } = await preview({ text: 'quite another thing', scope: 'nowhere', base_importance: 0.95 })
    expect(body).toEqual({ score: 1, delta: 0.3, base_before: 0.95, base_importance: 1, neighbours: [] })
  })

  it('compares within one scope, with records the key sees completely', async () => {
    const found = async (body: object, key?: string) =>
      ((await preview(body, key)).body as Body).neighbours.map(({ id }: Body) => id)
    const hidden = ids['hidden']
    const scoped = ids['scoped']
    expect(new Set(await found({ text: texts.frozen, scope: 'team' }))).toEqual(new Set([hidden, scoped]))
    const low = await app.issueKey(['records:read'], { scopes: ['team'], max_sensitivity: 'medium' })
    expect(await found({ text: texts.frozen }, low)).toEqual([scoped])
    expect(await found({ text: texts.frozen, scope: 'team' }, low)).toEqual([scoped])
    const other = await app.issueKey(['records:read'], { scopes: ['a', 'b'], max_sensitivity: 'hyper' })
    expect(await found({ text: texts.frozen, scope: 'team' }, other)).toEqual([])
    expectProblem(await preview({ text: texts.frozen }, other), 422, 'scope_required')
  })

  it('refuses a text without a vector and an invalid request', async () => {
    const refused = await preview({ text: '…' })
    expectProblem(refused, 422, 'validation_failed')
    expect(pointersOf(refused)).toEqual(['/text'])
    for (const body of [{}, { text: '' }, { text: 'a', base_importance: 2 }, { text: 'a', id: 'b' }])
      expectProblem(await preview(body), 422, 'validation_failed')
    const writer = await app.issueKey(['records:write'])
    expectProblem(await preview({ text: 'a' }, writer), 403, 'forbidden')
  })

  it('is refused without vectors', async () => {
    const plain = await startTestApp({ variables: { MEMBRANE_EMBEDDING_PROVIDER: 'none' } })
    try {
      expectProblem(
        await plain.request('POST', '/v1/surprise/preview', { body: { text: 'a' } }),
        409,
        'no_vectors',
      )
    } finally {
      await plain.close()
    }
  })
})

describe('the published surprise vectors', () => {
  it('are reproduced end to end where embeddings can have their similarities', async () => {
    const cases = vectors.cases.filter(({ similarities }) => similarities.length <= 5)
    expect(cases.length).toBeGreaterThan(15)
    const { insertVectors: placeVectors } = await import('../support/stores/insert-vectors.ts')
    const { id: model, dimensions } = await app.db
      .selectFrom('embedding_models')
      .select(['id', 'dimensions'])
      .where('serves', '=', true)
      .executeTakeFirstOrThrow()
    /** A vector at the given angle to the first axis, in a plane of its own. */
    const at = (similarity: number, plane: number) => {
      const vector = new Float32Array(dimensions)
      vector[0] = similarity
      vector[plane] = Math.sqrt(1 - similarity ** 2)
      return vector
    }
    const placed = cases.flatMap(({ similarities, base }, index) => {
      const scope = `case ${index}`
      return [
        ...similarities.map((similarity, plane) => ({ body: { scope }, vector: at(similarity, plane + 1) })),
        { body: { scope, base_importance: base }, vector: at(1, 9) },
      ]
    })
    const records = placed.map(({ body }) => fact(body))
    const { body } = await app.request('POST', '/v1/records/batch', { body: { records } })
    const created: string[] = (body as Body).results.map(({ record }: Body) => record.id)
    await placeVectors(
      app.db,
      model,
      placed.map(({ vector }, index) => ({ id: created[index] ?? '', vector })),
    )
    let last = -1
    const previews = cases.map((each) => {
      last += each.similarities.length + 1
      return [created[last] ?? '', each] as const
    })
    // All records have vectors, and only those under test are new.
    await app.db.deleteFrom('unembedded').execute()
    await app.db
      .insertInto('unsurprised')
      .values(
        previews.map(([id]) => ({ record_id: id, created_at: app.clock.now(), asked_at: app.clock.now() })),
      )
      .execute()
    await createEmbeddingWorker(app).run()
    for (const [id, each] of previews) {
      const { surprise, importance } = (await app.request('GET', `/v1/records/${id}/explain`)).body as Body
      expect(surprise.score).toBeCloseTo(each.score, 5)
      expect(surprise.delta).toBeCloseTo(each.delta, 5)
      expect(surprise.base_before).toBe(each.base)
      expect(importance.base_importance).toBeCloseTo(each.base_after, 5)
    }
  })
})
