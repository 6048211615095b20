import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTo } from '../../src/db/fragments/visibility.ts'
import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import { type Trust, unscoped } from '../../src/domain/trust/caller.ts'
import { type Embedding, findNearest } from '../../src/domain/vectors/similarity.ts'
import { noCell } from '../../src/embeddings/cells/cells.ts'
import * as ways from '../../src/embeddings/search/vector-search.queries.ts'
import { createVectorSearch } from '../../src/embeddings/search/vector-search.service.ts'
import { computeSignature, formatSignature } from '../../src/embeddings/vectors/signature.ts'
import { insertRecords } from '../../src/records/creation/record-creation.queries.ts'
import { draftRecord } from '../../src/records/creation/record-draft.ts'
import { oneDayPolicies } from '../support/apps/one-day-policies.ts'
import { rootCaller } from '../support/apps/root-caller.ts'
import { createTestClock } from '../support/clock.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { type InsertedVector, insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'
import { createVectorSource } from '../support/stores/random-vectors.ts'
import { idOf } from '../support/texts/numbered-ids.ts'

const dimensions = 64
const size = 2_400
const scopeOf = (at: number) => (at % 3 === 0 ? 'large' : `small-${at % 20}`)
const isHidden = (at: number) => at % 7 === 0
const source = createVectorSource(5)
const centres = Array.from({ length: 12 }, () => source.unit(dimensions))
const centre = (at: number) => centres[at % centres.length] ?? source.unit(dimensions)
/** Every fiftieth has the same vector, so that there are ties. */
const placed: InsertedVector[] = Array.from({ length: size }, (_, at) => ({
  id: idOf(at + 1),
  vector: at % 50 === 0 ? centre(0) : source.near(centre(at), 0.9),
}))

let model: { id: number; dimensions: number }

const database = await openTestDatabase()
beforeAll(async () => {
  const drafts = placed.map(({ id }, at) => {
    const payload = { kind: 'working', thread_id: 't', state: 'planning', context_summary: id } as const
    const context = {
      caller: rootCaller,
      now: new Date('2026-01-01'),
      id,
      defaultSensitivity: 'low',
      policies: oneDayPolicies,
    } as const
    const sensitivity = isHidden(at) ? ('high' as const) : ('low' as const)
    return draftRecord({ type: 'working', payload, sensitivity, scope: scopeOf(at) }, context)
  })
  for (let at = 0; at < drafts.length; at += 600) {
    await insertRecords(database.db, drafts.slice(at, at + 600), {
      textLanguage: 'simple',
      seal: createSeal('a key'),
    })
  }
  model = { id: await insertEmbeddingModel(database.db, dimensions), dimensions }
  await insertVectors(database.db, model.id, placed)
})
afterAll(() => database.close())

const signed = (vector: Embedding) => formatSignature(computeSignature(vector))
const searchBy = (vector: Embedding, conditions: RawBuilder<SqlBool>[], limit = 500): ways.VectorSearch => ({
  modelId: model.id,
  signature: signed(vector),
  conditions,
  limit,
})
const search = () => createVectorSearch({ db: database.db, clock: createTestClock() })
const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id)
const ofAll = (query: ways.VectorSearch) =>
  database.db.transaction().execute((tx) => ways.findNearestFiltered(tx, query))

const isLive = sql<SqlBool>`r.forgotten_at is null`
const trustIn = (...scopes: string[]): Trust => ({ maxSensitivity: 'low', scopes })

describe('the search plans', () => {
  it('return the same records in the same order, for any condition', async () => {
    for (let nth = 0; nth < 12; nth++) {
      const scopes = nth % 2 === 0 ? ['large'] : [`small-${nth}`, `small-${nth + 3}`]
      const conditions = [openTo(trustIn(...scopes)), isLive]
      const query = searchBy(source.near(centre(nth), 0.8), conditions, [1, 10, 60, 500][nth % 4])
      const expected = idsOf(await ofAll(query))
      expect(expected.length).toBeLessThanOrEqual(query.limit)
      expect(idsOf(await ways.findNearestInScopes(database.db, query, [...scopes, unscoped]))).toEqual(
        expected,
      )
      expect(
        idsOf((await ways.findInCells(database.db, query, { cells: [noCell], examined: 10_000 })).found),
      ).toEqual(expected)
    }
  })

  it('leave the settings of the session unchanged', async () => {
    const shown = async (db: typeof database.db) => {
      const { rows } = await sql<{ memory: string; plans: string }>`
        select current_setting('work_mem') as memory, current_setting('plan_cache_mode') as plans
      `.execute(db)
      return rows[0]
    }
    const before = await shown(database.db)
    await database.db.transaction().execute(async (tx) => {
      await ways.prepareLargeScan(tx)
      expect(await shown(tx)).toEqual({ memory: '32MB', plans: 'force_custom_plan' })
    })
    expect(await shown(database.db)).toEqual(before)
    expect(before?.memory).not.toBe('32MB')
  })
})

describe('the vector search', () => {
  it('scans only the candidates when there are few, and finds the nearest of them', async () => {
    const service = search()
    expect(await service.hasIndex(model.id)).toBe(false)
    for (const scope of ['small-4', 'large']) {
      const vector = source.near(centre(4), 0.8)
      const seen = placed.filter((_, at) => scopeOf(at) === scope && !isHidden(at))
      const conditions = [openTo(trustIn(scope)), isLive]
      const scopes = [scope, unscoped]
      const found = await service.find({ model, vector, conditions, scopes, limit: 10 })
      expect(found).toEqual(await search().find({ model, vector, conditions, limit: 10 }))
      if (scope !== 'large') expect(idsOf(found)).toEqual(idsOf(findNearest(vector, seen, 10)))
    }
  })

  it('looks farther where few of the nearest meet the conditions', async () => {
    const vector = source.near(centre(4), 0.8)
    const seen = placed.filter((_, at) => scopeOf(at) === 'small-4' && !isHidden(at))
    const conditions = [openTo(trustIn('small-4')), isLive]
    const found = await search().find({ model, vector, conditions, limit: 60, candidates: 60 })
    expect(seen.length).toBeGreaterThan(60)
    expect(found).toHaveLength(60)
    expect(idsOf(found).slice(0, 10)).toEqual(idsOf(findNearest(vector, seen, 10)))
  })

  it('always returns equally near vectors in the same order', async () => {
    const ties = placed.filter((_, at) => at % 50 === 0)
    const query = { model, vector: centre(0), conditions: [], limit: ties.length }
    const found = await search().find(query)
    expect(idsOf(found)).toEqual(idsOf(ties))
    expect(await search().find(query)).toEqual(found)
    expect(idsOf(await search().find({ ...query, limit: 5 }))).toEqual(idsOf(ties.slice(0, 5)))
  })

  it('finds the nearest after a small set of candidates has grown', async () => {
    const clock = createTestClock()
    const service = createVectorSearch({ db: database.db, clock })
    const one = [{ id: idOf(9_001), scope: 'growing' }]
    const more = Array.from({ length: 520 }, (_, at) => ({ id: idOf(9_100 + at), scope: 'growing' }))
    const vector = source.unit(dimensions)
    const find = () => {
      const conditions = [openTo(trustIn('growing')), isLive]
      return service.find({ model, vector, conditions, scopes: ['growing', unscoped], limit: 3 })
    }
    const add = async (records: typeof one, noise: number) => {
      const drafts = records.map(({ id, scope }) => {
        const payload = { kind: 'working', thread_id: 't', state: 'planning', context_summary: id } as const
        const context = {
          caller: rootCaller,
          now: new Date('2026-01-01'),
          id,
          defaultSensitivity: 'low',
          policies: oneDayPolicies,
        } as const
        return draftRecord({ type: 'working', payload, scope }, context)
      })
      await insertRecords(database.db, drafts, { textLanguage: 'simple', seal: createSeal('a key') })
      const vectors = records.map(({ id }, at) => ({ id, vector: source.near(vector, noise + at / 100) }))
      await insertVectors(database.db, model.id, vectors)
    }
    await add(one, 3)
    expect(idsOf(await find())).toEqual([idOf(9_001)])
    await add(more, 0.01)
    const soon = idsOf(await find())
    expect(soon).toEqual(idsOf(more.slice(0, 3)))
    clock.advance(60_000)
    expect(idsOf(await find())).toEqual(soon)
  })

  it('finds nothing in a store or for a model without vectors', async () => {
    const empty = await openTestDatabase()
    try {
      const id = await insertEmbeddingModel(empty.db, dimensions)
      const service = createVectorSearch({ db: empty.db, clock: createTestClock() })
      const query = { model: { id, dimensions }, vector: centre(0), conditions: [isLive], limit: 10 }
      expect(await service.find(query)).toEqual([])
      expect(await service.find({ ...query, scopes: ['small-1'] })).toEqual([])
      expect(await service.findVector(query.model, idOf(1))).toBeUndefined()
    } finally {
      await empty.close()
    }
    const other = { id: model.id + 1, dimensions }
    expect(await search().find({ model: other, vector: centre(0), conditions: [], limit: 10 })).toEqual([])
  })
})
