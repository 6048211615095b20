import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Body,
  create,
  createAll,
  expectProblem,
  fact,
  payloads,
  say,
} from '../../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

async function list(query: string): Promise<Body[]> {
  const answer = await app.request('GET', `/v1/records?${query}`)
  if (answer.status !== 200) throw new Error(answer.text)
  return (answer.body as Body).items
}

/** Follows the Link headers through all pages, like a client that does not parse cursors. */
async function walk(path: string): Promise<Body[]> {
  const items: Body[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const answer: Awaited<ReturnType<TestApp['request']>> = await app.request('GET', next)
    const { items: page, next_cursor: cursor } = answer.body as Body
    items.push(...page)
    next = /<(.*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    expect(next !== undefined).toBe(cursor !== undefined)
  }
  return items
}

const compare = <T>(left: T, right: T) => (left < right ? -1 : Number(left > right))
const idsOf = (items: Body[]) => items.map((item) => item.id)

describe('GET /v1/records', () => {
  it('answers an empty list without records', async () => {
    expect((await app.request('GET', '/v1/records')).body).toEqual({ items: [] })
  })

  it('applies every filter', async () => {
    const expected = await create(app, {
      type: 'competence',
      scope: 'filters',
      tags: ['a', 'b'],
      sensitivity: 'medium',
      layer: 'codebase',
      memory_kind: 'narrative',
      salience: 0.4,
      payload: { ...payloads.competence, skill_name: 'untangle yarn' },
      lifecycle: { pinned: true },
    })
    await create(app, fact({ scope: 'filters', tags: ['a'] }))
    const now = app.clock.now()
    const before = encodeURIComponent(new Date(now.getTime() - 1).toISOString())
    const later = encodeURIComponent(new Date(now.getTime() + 1).toISOString())
    const holding = [
      'type=competence',
      'scope=filters&type=competence',
      'tag=a&tag=b',
      'sensitivity=medium',
      'layer=codebase',
      'memory_kind=narrative&scope=filters',
      'status=active&pinned=true',
      'pinned=true',
      'min_salience=0.3&max_salience=0.5',
      'max_salience=0.4&scope=filters',
      `created_after=${before}&created_before=${later}&tag=b`,
      `updated_after=${before}&tag=b`,
      'q=untangling',
      'q=%22untangle+yarn%22',
      'q=yarn+-wool',
    ]
    for (const query of holding) expect(idsOf(await list(query)), query).toEqual([expected.id])
    const empty = [
      'scope=nowhere',
      'tag=a&tag=c',
      'status=merged',
      'min_salience=0.5&pinned=true',
      `created_after=${later}`,
      `updated_after=${later}`,
      'q=yarn+-untangle',
      'q=the',
    ]
    for (const query of empty) expect(await list(query), query).toEqual([])
  })

  it('finds a record by text right after it is written', async () => {
    const record = await create(app, fact({ payload: { ...payloads.semantic, object: 'xylophone' } }))
    expect(idsOf(await list('q=xylophones'))).toEqual([record.id])
  })

  it('reads a long text once, and not for each record', async () => {
    await createAll(
      app,
      Array.from({ length: 500 }, (_, n) => say(`long ${n}`, { scope: 'long' })),
    )
    const text = encodeURIComponent('\ufdfa'.repeat(1_000))
    const start = performance.now()
    expect(await list(`scope=long&q=${text}`)).toEqual([])
    expect(performance.now() - start).toBeLessThan(1_000)
  })

  it('refuses unknown parameters, invalid values and cursors of other lists', async () => {
    const ask = (query: string) => app.request('GET', `/v1/records?${query}`)
    for (const query of [
      'colour=red',
      'limit=0',
      'limit=501',
      'limit=x',
      'sort=age',
      'type=dream',
      'pinned=maybe',
    ]) {
      expectProblem(await ask(query), 422, 'validation_failed')
    }
    expectProblem(await ask('q=%00'), 422, 'validation_failed')
    expectProblem(await ask('cursor=zzz'), 400, 'invalid_cursor')
    const { body } = await ask('limit=1')
    const cursor = (body as Body).next_cursor
    expect((await ask(`limit=5&cursor=${cursor}`)).status).toBe(200)
    expectProblem(await ask(`limit=1&type=semantic&cursor=${cursor}`), 400, 'invalid_cursor')
    expectProblem(await ask(`limit=1&cursor=${cursor.slice(0, -4)}AAAA`), 400, 'invalid_cursor')
  })
})

describe('the pages of GET /v1/records', () => {
  const scope = 'paged'
  const count = 137
  let all: Body[]

  beforeAll(async () => {
    const curves = ['exponential', 'linear', 'huber', 'elastic', 'custom']
    const bodies = Array.from({ length: count }, (_, index) =>
      fact({
        scope,
        salience: [1, 0.5, 0, 2, 0.000_001, 1_000][index % 6],
        base_importance: (index % 5) / 5,
        created_at: new Date(app.clock.now().getTime() - (index % 9) * 3_600_000).toISOString(),
        lifecycle: {
          pinned: index % 11 === 0,
          deletion_policy: 'manual_only',
          last_reinforced_at: new Date(app.clock.now().getTime() - (index % 7) * 86_400_000).toISOString(),
          decay: {
            curve: curves[index % 5],
            half_life_seconds: [60, 3_600, 86_400, 2_592_000][index % 4],
            min_salience: index % 13 === 0 ? 0.3 : 0,
            max_age_seconds: index % 17 === 0 ? 4 * 3_600 : 0,
          },
        },
      }),
    )
    const { body } = await app.request('POST', '/v1/records/batch', {
      body: { records: bodies, atomic: true },
    })
    all = (body as Body).results.map((result: Body) => result.record)
  })

  const sorts = ['salience', 'importance', 'created_at', 'updated_at'] as const
  for (const sort of sorts) {
    for (const order of ['desc', 'asc'] as const) {
      it(`contain each record once, sorted by ${sort} ${order}`, async () => {
        const items = await walk(`/v1/records?scope=${scope}&sort=${sort}&order=${order}&limit=20`)
        expect(idsOf(items).sort()).toEqual(idsOf(all).sort())
        const sorted = [...items].sort(
          (left, right) => compare(left[sort], right[sort]) || compare(left.id, right.id),
        )
        expect(idsOf(items)).toEqual(idsOf(order === 'asc' ? sorted : sorted.reverse()))
      })
    }
  }

  it('use the time of the first page, so that decay does not change their order', async () => {
    const first = await app.request('GET', `/v1/records?scope=${scope}&limit=60`)
    const { items, next_cursor: cursor } = first.body as Body
    const rest = await walk(`/v1/records?scope=${scope}&limit=60&cursor=${cursor}`)
    app.clock.advance(3_600_000)
    const later = await walk(`/v1/records?scope=${scope}&limit=60&cursor=${cursor}`)
    expect(later).toEqual(rest)
    expect(new Set([...idsOf(items), ...idsOf(later)]).size).toBe(count)
  })

  it('do not shift when records are created between them', async () => {
    const path = `/v1/records?scope=${scope}&sort=created_at&limit=50`
    const { items, next_cursor: cursor } = (await app.request('GET', path)).body as Body
    await create(app, fact({ scope }))
    const rest = await walk(`${path}&cursor=${cursor}`)
    expect(new Set([...idsOf(items), ...idsOf(rest)]).size).toBe(count)
  })
})

describe('the audit log of a record', () => {
  it('is embedded with its newest 50 entries and paged completely, oldest first', async () => {
    const record = await create(app, fact())
    for (let index = 0; index < 52; index++) {
      await app.request('PATCH', `/v1/records/${record.id}`, { body: { tags: [`t${index}`] } })
    }
    const { body } = await app.request('GET', `/v1/records/${record.id}`)
    expect((body as Body).audit_log).toHaveLength(50)
    expect((body as Body).audit_log[49].changes.tags).toEqual([['t50'], ['t51']])
    const entries = await walk(`/v1/records/${record.id}/audit?limit=25`)
    expect(entries).toHaveLength(53)
    expect(entries[0].action).toBe('create')
    expect(entries.slice(-50)).toEqual((body as Body).audit_log)
  })

  it('cannot be changed or deleted, even with SQL', async () => {
    const record = await create(app, fact())
    const entries = app.db
      .updateTable('audit_entries')
      .set({ actor: 'nobody' })
      .where('record_id', '=', record.id)
    await expect(entries.execute()).rejects.toThrow('append-only')
    await expect(app.db.deleteFrom('audit_entries').execute()).rejects.toThrow('append-only')
  })

  it('remains when its record is deleted', async () => {
    const record = await create(app, fact())
    await app.db.deleteFrom('records').where('id', '=', record.id).execute()
    const entries = await app.db
      .selectFrom('audit_entries')
      .where('record_id', '=', record.id)
      .selectAll()
      .execute()
    expect(entries).toHaveLength(1)
  })
})
