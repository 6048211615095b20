import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { listLineResults } from '../support/files/foreign-files.ts'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import {
  type Body,
  countRows,
  create,
  expectProblem,
  payloads,
  say,
} from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const idsOf = ({ records }: { records: Body[] }) => records.map(({ id }) => id).sort()

describe('GET /v1/export', () => {
  it('contains the records that the key sees completely, and names no others', async () => {
    const hidden = await create(app, say('hidden', { scope: 'hers' }))
    const above = await create(app, say('above', { scope: 'his', sensitivity: 'medium' }))
    const relations = [hidden, above].map(({ id }) => ({ predicate: 'supports', target_id: id }))
    const seen = await create(app, say('seen', { scope: 'his', relations }))
    const open = await create(app, say('open'))
    const key = await app.issueKey(['records:read'], { scopes: ['his'], max_sensitivity: 'low' })
    const exported = await exportLines(app, '', { key })
    expect(idsOf(exported)).toEqual([seen.id, open.id].sort())
    for (const { id } of [hidden, above]) expect(exported.text).not.toContain(id)
    const all = await exportLines(app)
    expect(idsOf(all)).toEqual([hidden.id, above.id, seen.id, open.id].sort())
  })

  it('can be filtered', async () => {
    app.clock.advance(60_000)
    const late = await create(app, { type: 'entity', payload: payloads.entity, scope: 'parts' })
    const gone = await create(app, say('gone', { scope: 'parts' }))
    await app.request('DELETE', `/v1/records/${gone.id}?actor=a&rationale=r`)
    const part = async (query: string) => idsOf(await exportLines(app, query))
    expect(await part('?scope=parts')).toEqual([late.id])
    expect(await part('?scope=parts&include_forgotten=true')).toEqual([late.id, gone.id].sort())
    expect(await part('?type=entity')).toEqual([late.id])
    const justBefore = new Date(app.clock.now().getTime() - 1).toISOString()
    expect(await part(`?updated_after=${justBefore}`)).toEqual([late.id])
    const all = await part('')
    expect(await part(`?after=${all[1]}`)).toEqual(all.slice(2))
    expectProblem(await app.request('GET', '/v1/export?colour=red'), 422, 'validation_failed')
  })

  it('requires read permission', async () => {
    const key = await app.issueKey(['records:write'])
    expectProblem(await app.request('GET', '/v1/export', { key }), 403, 'forbidden')
  })

  it('does not show that a hidden record has the name of a visible one', async () => {
    const capture = (entity: string, sensitivity: string, key?: string) =>
      app.request('POST', '/v1/capture', {
        ...(key ? { key } : {}),
        body: { source: 'log', content: { entity, text: 'was here' }, scope: 'names', sensitivity },
      })
    await capture('Osric', 'hyper')
    const trust = { scopes: ['names'], max_sensitivity: 'low' }
    const key = await app.issueKey(['records:read', 'records:write'], trust)
    for (const name of ['Osric', 'Yorick']) await capture(name, 'low', key)
    const { records } = await exportLines(app, '?scope=names&type=entity', { key })
    const describeHandles = (name: string) =>
      records
        .find(({ payload }) => payload.canonical_name === name)
        ?.handles.map((handle: object) => ({ ...handle, digest: '' }))
    expect(describeHandles('Osric')).toHaveLength(1)
    expect(describeHandles('Osric')).toEqual(describeHandles('Yorick'))
  })
})

describe('POST /v1/import by a key without admin', () => {
  let key: string
  beforeAll(async () => {
    const more = { scopes: ['his'], max_sensitivity: 'low', source_type: 'ai' }
    key = await app.issueKey(['records:read', 'records:write'], more)
  })

  it('stores each line with the trust of the key', async () => {
    const lines = [
      say('in scope', { scope: 'his' }),
      say('scope of the key'),
      say('elsewhere', { scope: 'hers' }),
      say('too sensitive', { sensitivity: 'high' }),
      say('too trusted', { source_type: 'human' }),
    ]
    const imported = await importLines(app, lines, { key })
    expect(listLineResults(imported)).toEqual([
      '1 created',
      '2 created',
      '3 invalid outside_trust',
      '4 invalid outside_trust',
      '5 invalid validation_failed',
    ])
    const { id } = imported.reports[1]
    const { records } = await exportLines(app, '?scope=his', { key })
    expect(records.find((record) => record.id === id)).toMatchObject({
      scope: 'his',
      source_type: 'ai',
      version: 1,
    })
  })

  it('reveals nothing about hidden records and links to none', async () => {
    const hidden = await create(app, say('hidden', { scope: 'hers' }))
    const supports = { relations: [{ predicate: 'supports', target_id: hidden.id }] }
    const lines = [say('hidden', { id: hidden.id, scope: 'his' }), say('link', supports)]
    const imported = await importLines(app, lines, { key })
    expect(listLineResults(imported)).toEqual(['1 conflict record_exists', '2 created'])
    expect(imported.reports[0].problem.errors).toBeUndefined()
    expect(imported.loose).toMatchObject({ count: 1 })
    expect((await app.request('GET', `/v1/records/${hidden.id}`)).body).toMatchObject({ relations: [] })
  })

  it('is refused completely when any line has a field that the service owns, even the last of many', async () => {
    const before = await countRows(app, 'records')
    const [exported] = (await exportLines(app, '?scope=his', { key })).records
    const many = Array.from({ length: 620 }, (_, index) => say(index))
    const revised = (revision: object) => say('x', { payload: { ...payloads.semantic, revision } })
    const forged = [
      exported,
      say('x', { version: 2 }),
      say('x', { redacted: true }),
      say('x', { anchors: {} }),
      say('x', { AuditLog: [] }),
      say('x', { forgotten: 1 }),
      revised({ status: 'retracted' }),
      revised({ status: 'active', SupersededBy: app.ids.next() }),
    ]
    for (const [index, line] of forged.entries()) {
      const before = index === 0 ? many : []
      const refused = await importLines(app, [...before, line], { key })
      expect(expectProblem(refused, 403, 'forbidden').detail).toContain(`Line ${before.length + 1} `)
    }
    expect(await countRows(app, 'records')).toBe(before)
    expect(await app.db.selectFrom('import_lines').select('line').execute()).toEqual([])
    expect((await importLines(app, many, { key })).summary).toMatchObject({ created: 620 })
  })

  it('adds no edge to an existing record', async () => {
    const [first, second] = await Promise.all([1, 2].map((each) => create(app, say(each, { scope: 'his' }))))
    const relations = [{ predicate: 'supports', target_id: second.id }]
    const line = say(1, { id: first.id, scope: 'his', relations })
    const imported = await importLines(app, [line], { key })
    expect(listLineResults(imported)).toEqual(['1 conflict record_exists'])
    expect(imported.reports[0].problem.errors[0].pointer).toBe('/relations/0')
  })

  it('requires write permission', async () => {
    const reader = await app.issueKey(['records:read'])
    expectProblem(await importLines(app, [say('x')], { key: reader }), 403, 'forbidden')
  })
})

it('an import by an admin key with scopes stays in these scopes and keeps the source types', async () => {
  const key = await app.issueKey(['admin'], { scopes: ['copies'], source_type: 'ingest' })
  const kept = { status: 'challenged', source_type: 'human' }
  const lines = [say('in', { scope: 'copies', ...kept }), say('out', { scope: 'hers', ...kept })]
  const imported = await importLines(app, lines, { key })
  expect(listLineResults(imported)).toEqual(['1 created', '2 invalid outside_trust'])
  const { records } = await exportLines(app, '?scope=copies', { key })
  expect(records).toMatchObject([kept])
})

describe('an import by an admin key with scopes', () => {
  const embedding = {
    provider: 'acme',
    model: 'a-model',
    dimensions: 1,
    bits: 32,
    embedded_at: '2026-03-01T00:00:00.000Z',
    code: 'AACAPw==',
    signature: Buffer.alloc(128).toString('base64'),
  }

  it('cannot choose the embedding model of the store', async () => {
    const key = await app.issueKey(['admin'], { scopes: ['copies'] })
    const line = say('with a vector', { scope: 'copies', version: 1, embeddings: [embedding] })
    expect(listLineResults(await importLines(app, [line], { key }))).toEqual(['1 created'])
    expect(await countRows(app, 'embedding_models')).toBe(0)
    expect(listLineResults(await importLines(app, [{ ...line, scope: 'others' }]))).toEqual(['1 created'])
    expect(await countRows(app, 'embedding_models')).toBe(1)
  })

  it('claims no version without an audit entry, and no descent from a hidden record', async () => {
    const key = await app.issueKey(['admin'], { scopes: ['copies'] })
    const hidden = await create(app, say('hidden from the import', { scope: 'hers' }))
    const [unscoped, own] = await Promise.all([
      create(app, say('read by all')),
      create(app, say('of the scope', { scope: 'copies' })),
    ])
    const from = ({ id }: Body, kind: string) => ({ source_id: id, kind, is_ground: true })
    const entry = { action: 'create', actor: 'a', rationale: 'r', timestamp: '2026-01-01T00:00:00Z' }
    const line = say('derived, says the line', {
      scope: 'copies',
      version: 5,
      audit_log: [entry],
      descent: [from(hidden, 'consolidation'), from(unscoped, 'dream'), from(own, 'supersede')],
      relations: [{ predicate: 'derived_from', target_id: unscoped.id }],
    })
    const imported = await importLines(app, [line, say('bare', { scope: 'copies', version: 9 })], { key })
    expect(listLineResults(imported)).toEqual(['1 created', '2 created'])
    const { records } = await exportLines(app, '?scope=copies')
    const [derived, bare] = imported.reports.map(({ id }: Body) => records.find((record) => record.id === id))
    expect(derived).toMatchObject({ version: 1 })
    expect(bare).toMatchObject({ version: 1, audit_log: [{ action: 'create', rationale: 'imported' }] })
    // An edge is missing to each of them, so an erase follows what is left without relying on one.
    const kept = derived?.descent.map(({ source_id: id, kind }: Body) => [id, kind])
    expect(new Map(kept)).toEqual(
      new Map([
        [unscoped.id, 'inherited'],
        [own.id, 'inherited'],
      ]),
    )
    expect(listLineResults(await importLines(app, [{ ...line, id: derived?.id }], { key }))).toEqual([
      '1 unchanged',
    ])
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('writes edges of revision and derivation only between records of these scopes', async () => {
    const key = await app.issueKey(['admin'], { scopes: ['copies', 'more'], max_sensitivity: 'hyper' })
    const unscoped = await create(app, say('without a scope'))
    const own = await create(app, say('of another of its scopes', { scope: 'more' }))
    const link = (predicate: string, target: Body) => ({ predicate, target_id: target.id })
    const relations = ['supersedes', 'derived_from', 'superseded_by', 'derives', 'supports'].flatMap(
      (predicate) => [link(predicate, unscoped), link(predicate, own)],
    )
    const line = say('a forgery', { scope: 'copies', version: 2, relations })
    const imported = await importLines(app, [line], { key })
    expect(listLineResults(imported)).toEqual(['1 created'])
    expect(imported.loose.count).toBe(4)
    const predicatesOf = async ({ id }: Body) =>
      ((await app.request('GET', `/v1/records/${id}`)).body as Body).relations
        .map(({ predicate }: Body) => predicate)
        .sort()
    expect(await predicatesOf(unscoped)).toEqual(['supported_by'])
    expect(await predicatesOf(own)).toEqual(
      ['derived_from', 'derives', 'superseded_by', 'supersedes', 'supported_by'].sort(),
    )
  })
})
