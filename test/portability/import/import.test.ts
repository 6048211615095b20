import { afterAll, describe, expect, it } from 'vitest'
import { listLineResults } from '../../support/files/foreign-files.ts'
import { exportLines, importLines } from '../../support/requests/export-and-import.ts'
import {
  type Body,
  create,
  expectProblem,
  payloads,
  read,
  say,
} from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the import tests' } })
afterAll(() => app.close())

describe('POST /v1/import', () => {
  it('reports each line and a summary', async () => {
    const known = await create(app, say('known'))
    const id = app.ids.next()
    const lines = [
      JSON.stringify(say('new', { id })),
      '{"type": "semantic"',
      '',
      JSON.stringify(say('again', { id })),
      JSON.stringify(say('new', { id })),
      JSON.stringify({
        ...say('x'),
        colour: 'red',
        payload: { kind: 'semantic', subject: 1, predicate: 'p' },
      }),
      JSON.stringify(say('known', { id: known.id })),
      JSON.stringify(say('nameless')),
      '\u0000',
      JSON.stringify(say('a\u0000b')),
      '[]',
    ]
    const imported = await importLines(app, lines.join('\r\n'))
    expect(imported.status).toBe(200)
    expect(listLineResults(imported)).toEqual([
      '1 created',
      '2 invalid malformed_json',
      '4 conflict record_exists',
      '5 unchanged',
      '6 invalid validation_failed',
      '7 unchanged',
      '8 created',
      '9 invalid malformed_json',
      '10 invalid validation_failed',
      '11 invalid validation_failed',
    ])
    expect(imported.summary).toEqual({ created: 2, unchanged: 2, conflict: 1, invalid: 5 })
    const [first, , conflict, , invalid] = imported.reports
    expect(first).toEqual({ line: 1, id, status: 'created' })
    expect(conflict.problem.errors).toEqual([{ pointer: '/payload', message: expect.any(String) }])
    const pointers = invalid.problem.errors.map(({ pointer }: { pointer: string }) => pointer)
    expect(pointers).toEqual(expect.arrayContaining(['/payload/subject', '/colour']))
    expect(await read(app, id)).toMatchObject({
      version: 1,
      payload: { object: 'new' },
      audit_log: [{ action: 'create', actor: 'root', rationale: 'imported' }],
    })
  })

  it('lists only the first thousand refused lines where the client asks for them', async () => {
    const lines = `${JSON.stringify(say('one'))}\n${'{}\n'.repeat(1_100)}${JSON.stringify(say('two'))}\n`
    const { reports, summary } = await importLines(app, lines, { query: '?report=refused' })
    expect(reports.map(({ line }: Body) => line)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => index + 2),
    )
    expect(summary).toEqual({ created: 2, unchanged: 0, conflict: 0, invalid: 1_100 })
  })

  it('answers an empty summary for an empty body', async () => {
    const nothing = { created: 0, unchanged: 0, conflict: 0, invalid: 0 }
    expect((await importLines(app, '')).summary).toEqual(nothing)
    expect((await importLines(app, '\n \r\n')).summary).toEqual(nothing)
  })

  it('accepts lines only, and no other media type or encoding', async () => {
    const ask = (headers: Record<string, string>) =>
      app.request('POST', '/v1/import', { body: '{}', headers })
    expectProblem(await ask({ 'content-type': 'application/json' }), 415, 'unsupported_media_type')
    const encoded = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
    expectProblem(await ask(encoded), 415, 'unsupported_media_type')
    expectProblem(
      await app.request('POST', '/v1/records', {
        body: '{}',
        headers: { 'content-type': 'application/x-ndjson' },
      }),
      415,
      'unsupported_media_type',
    )
  })

  it('refuses a line that is too long, and imports the others', async () => {
    const long = JSON.stringify(say(Array.from({ length: 200 }, () => 'x'.repeat(90_000))))
    const imported = await importLines(app, `${long}\n${JSON.stringify(say('short'))}\n`)
    expect(listLineResults(imported)).toEqual(['1 invalid body_too_large', '2 created'])
  })

  it('answers the same in a dry run and stores nothing', async () => {
    const before = await exportLines(app)
    const target = app.ids.next()
    const lines = [
      say('first', { relations: [{ predicate: 'supports', target_id: target }] }),
      say('second', { id: target }),
      { type: 'semantic' },
    ]
    const dryRun = await importLines(app, lines, { query: '?dry_run=true' })
    expect(listLineResults(dryRun)).toEqual(['1 created', '2 created', '3 invalid validation_failed'])
    expect(dryRun.loose).toBeUndefined()
    expect((await exportLines(app)).text).toBe(before.text)
    expect(listLineResults(await importLines(app, lines))).toEqual(listLineResults(dryRun))
  })

  it('refuses content that was erased', async () => {
    const { id } = await create(app, say('a secret'))
    const { text } = await exportLines(app)
    const reason = { actor: 'desk', rationale: 'asked for' }
    expect((await app.request('POST', `/v1/records/${id}/erase`, { body: reason })).status).toBe(200)
    const again = await importLines(app, text)
    expect(again.summary).toMatchObject({ created: 0, conflict: 1, invalid: 0 })
    expect(listLineResults(await importLines(app, [say('A  secret!')]))).toEqual([
      '1 conflict erased_content',
    ])
  })

  it('leaves an identifier with its current entity, and a name with the first', async () => {
    const entity = (more: object = {}) => ({
      type: 'entity',
      payload: { ...payloads.entity, identifiers: [{ namespace: 'git', value: 'one' }] },
      ...more,
    })
    const imported = await importLines(app, [entity(), entity(), say('beside')])
    expect(listLineResults(imported)).toEqual(['1 created', '2 conflict identifier_taken', '3 created'])
    const [record] = (await exportLines(app, '?type=entity')).records
    const handles = record.handles.map((handle: Body) => ({ ...handle, place: 0 }))
    const named = [1, 2].map(() => ({ ...record, id: app.ids.next(), handles, identifiers: [] }))
    expect(listLineResults(await importLines(app, named))).toEqual([
      '1 conflict identifier_taken',
      '2 conflict identifier_taken',
    ])
    const payload = { ...record.payload, identifiers: [] }
    const copies = named.map((each) => ({ ...each, payload }))
    expect(listLineResults(await importLines(app, copies))).toEqual(['1 created', '2 created'])
  })
})

describe('an edge in an import', () => {
  const supports = (target: string) => ({
    relations: [{ predicate: 'supports', target_id: target, weight: 0.5 }],
  })

  it('may lead to a record hundreds of lines later, and is written in both directions', async () => {
    const source = app.ids.next()
    const target = app.ids.next()
    const between = Array.from({ length: 450 }, (_, index) => say(index))
    const lines = [
      say('source', { id: source, ...supports(target) }),
      ...between,
      say('target', { id: target }),
    ]
    const imported = await importLines(app, lines)
    expect(imported.summary).toMatchObject({ created: 452 })
    expect(imported.loose).toBeUndefined()
    expect((await read(app, source)).relations).toMatchObject([{ predicate: 'supports', target_id: target }])
    expect((await read(app, target)).relations).toMatchObject([
      { predicate: 'supported_by', target_id: source },
    ])
  })

  it('to a missing record is left out and reported', async () => {
    const source = app.ids.next()
    const nowhere = app.ids.next()
    const imported = await importLines(app, [say('source', { id: source, ...supports(nowhere) })])
    expect(listLineResults(imported)).toEqual(['1 created'])
    const first = [{ source_id: source, predicate: 'supports', target_id: nowhere }]
    expect(imported.loose).toEqual({ count: 1, first })
    expect((await read(app, source)).relations).toEqual([])
    expect(await app.db.selectFrom('awaiting_edges').selectAll().execute()).toEqual([])
  })

  it('that an interrupted import left out is added later, unless a client removed it', async () => {
    const scope = 'interrupted'
    const source = app.ids.next()
    const target = app.ids.next()
    await importLines(app, [
      say('source', { id: source, scope, ...supports(target) }),
      say('target', { id: target, scope }),
    ])
    const whole = await exportLines(app, `?scope=${scope}`)
    await app.db.deleteFrom('relations').where('source_id', 'in', [source, target]).execute()
    await importLines(app, whole.text)
    expect((await exportLines(app, `?scope=${scope}`)).text).toBe(whole.text)
    await app.request('DELETE', `/v1/records/${source}/relations/supports/${target}`)
    await importLines(app, whole.text)
    expect((await read(app, target)).relations).toEqual([])
  })
})
