import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults, readFixture } from '../../../support/files/foreign-files.ts'
import { askContext } from '../../../support/requests/prompt-context-requests.ts'
import { countRows, create, fact, read } from '../../../support/requests/record-requests.ts'
import { startTestApp } from '../../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the import tests' } })
afterAll(() => app.close())

const hour = 3_600_000

describe('an import of mem0', () => {
  it('keeps text, id and times, and takes nothing from the metadata', async () => {
    const { reports, ending } = await importFile(app, await readFixture('mem0-python.json'), {
      query: '?scope=team',
    })
    expect(listLineResults({ reports })).toEqual(['1 created', '2 created', '3 invalid validation_failed'])
    expect(ending).toEqual({
      summary: { created: 2, unchanged: 0, conflict: 0, invalid: 1 },
      format: 'mem0',
      dry_run: false,
      position: expect.any(String),
    })
    const first = await read(app, reports[0].id)
    expect(first).toMatchObject({
      type: 'semantic',
      scope: 'team',
      sensitivity: 'low',
      source_type: 'ingest',
      status: 'active',
      created_at: '2024-03-01T17:15:30.123Z',
      payload: { subject: 'nora', object: 'Likes hiking in the Alps', validity: { mode: 'global' } },
    })
    expect(first.provenance.sources[0].ref).toBe('mem0:0b3c9a51-7c0e-4f53-9d6a-2f5a1c6f0001')
    expect(app.clock.now().getTime() - Date.parse(first.lifecycle.last_reinforced_at)).toBeLessThan(hour)
    expect((await read(app, reports[1].id)).payload.validity).toEqual({
      mode: 'timeboxed',
      end: '2024-06-01T00:00:00.000Z',
    })
  })

  it('changes nothing the second time, and tells nothing of another scope', async () => {
    const file = await readFixture('mem0-typescript.json')
    const key = await app.issueKey(['records:write'], { scopes: ['one', 'two'] })
    const first = await importFile(app, file, { query: '?scope=one', key })
    const again = await importFile(app, file, { query: '?scope=one', key })
    const other = await importFile(app, file, { query: '?scope=two', key })
    expect([first, again, other].map(listLineResults)).toEqual([
      ['1 created'],
      ['1 unchanged'],
      ['1 created'],
    ])
    expect(again.reports[0].id).toBe(first.reports[0].id)
    expect(other.reports[0].id).not.toBe(first.reports[0].id)
    const refused = await importFile(app, file, { query: '?scope=three', key })
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('outside_trust')])
  })

  it('reports other content of the same id as a conflict and keeps what is stored', async () => {
    const file = (await readFixture('mem0-artifact.json')).toString()
    const { reports } = await importFile(app, file)
    const other = await importFile(app, file.replaceAll('Thursdays', 'Fridays'))
    expect(listLineResults(other)).toEqual(['1 conflict record_exists'])
    expect((await read(app, reports[0].id)).payload.object).toBe('Deploys on Thursdays only')
  })

  it('leaves a record as it was revised, retracted, forgotten or erased here', async () => {
    const memory = (id: string) => ({ id, memory: `said by ${id}`, user_id: 'revised' })
    const names = ['retracted', 'forgotten', 'erased']
    const file = JSON.stringify({ results: names.map(memory) })
    const { reports } = await importFile(app, file)
    const [retracted, forgotten, erased] = reports.map(({ id }) => `/v1/records/${id}`)
    const reason = { actor: 'tester', rationale: 'no longer true' }
    await app.request('POST', `${retracted}/retract`, { body: reason })
    await app.request('DELETE', `${forgotten}?actor=tester&rationale=unneeded`)
    await app.request('POST', `${erased}/erase`, { body: reason })
    expect(listLineResults(await importFile(app, file))).toEqual([
      '1 unchanged',
      '2 unchanged',
      expect.stringMatching(/^3 conflict (record_erased|erased_content)$/),
    ])
    expect((await app.request('GET', `${erased}`)).status).toBe(410)
    expect((await app.request('GET', `${forgotten}`)).status).toBe(410)
  })

  it('stores nothing in a dry run and shows how the records would land', async () => {
    const before = await countRows(app, 'records')
    const { ending } = await importFile(app, await readFixture('mem0-python.json'), {
      query: '?dry_run=true&scope=elsewhere',
    })
    expect(ending.summary).toEqual({ created: 2, unchanged: 0, conflict: 0, invalid: 1 })
    expect(
      ending.sample.map(({ scope, payload }: { scope: string; payload: { object: string } }) => [
        scope,
        payload.object,
      ]),
    ).toEqual([
      ['elsewhere', 'Likes hiking in the Alps'],
      ['elsewhere', 'Trial of the staging cluster ends soon'],
    ])
    expect(await countRows(app, 'records')).toBe(before)
  })
})

describe('an import of mcp-memory', () => {
  it('makes entities, observations and relations, and refuses only a torn last line', async () => {
    const { reports, ending } = await importFile(app, await readFixture('mcp-memory.jsonl'), {
      type: 'application/x-ndjson',
    })
    expect(ending.format).toBe('mcp-memory')
    expect(listLineResults({ reports })).toEqual([
      '1 created',
      '1 created',
      '1 created',
      '2 created',
      '3 created',
      '4 invalid malformed_json',
    ])
    const [nora, speaks, , leads, team] = await Promise.all(
      reports.slice(0, 5).map(({ id }) => read(app, id)),
    )
    expect(nora.payload).toMatchObject({ canonical_name: 'Nora Lind', primary_type: 'person' })
    expect(speaks.payload.object).toBe('Speaks Norwegian')
    expect(leads.payload).toMatchObject({ subject: 'Nora Lind', predicate: 'leads', object: 'Harbour Team' })
    const ends = leads.relations.map(
      ({ predicate, target_id: id }: { predicate: string; target_id: string }) => [predicate, id],
    )
    expect(ends).toEqual(
      expect.arrayContaining([
        ['subject_entity', nora.id],
        ['object_entity', team.id],
      ]),
    )
  })
})

describe('the answer of read_graph of mcp-memory', () => {
  const entities = [
    { name: 'Jane', entityType: 'person', observations: ['Prefers morning meetings', 'Has two dogs'] },
    { type: 'entity', name: 'Harbour Team', entityType: 'team', observations: [] },
  ]
  const relations = [{ from: 'Jane', to: 'Harbour Team', relationType: 'leads' }]

  it.each([
    ['in one line', { entities, relations }, undefined],
    ['with indentation', { entities, relations }, 2],
    ['with the relations first', { relations, entities }, 2],
  ])('is recognised %s, and has the records of its lines', async (scope, graph, indentation) => {
    const imported = await importFile(app, JSON.stringify(graph, undefined, indentation), {
      query: `?scope=${encodeURIComponent(scope)}`,
    })
    expect(imported.ending).toMatchObject({ format: 'mcp-memory', summary: { created: 5, invalid: 0 } })
    const { text } = await askContext(app, scope, { task_descriptor: 'Who leads the Harbour Team?' })
    expect(text).toContain('Jane leads Harbour Team')
    const lines = [
      ...entities.map((each) => ({ ...each, type: 'entity' })),
      { type: 'relation', ...relations[0] },
    ]
    const again = await importFile(app, lines.map((each) => JSON.stringify(each)).join('\n'), {
      query: `?format=mcp-memory&scope=${encodeURIComponent(scope)}`,
    })
    expect(again.ending.summary).toMatchObject({ created: 0, unchanged: 5 })
  })
})

describe('relations of one kind of a thing in mcp-memory', () => {
  const relate = (to: string) =>
    JSON.stringify({ type: 'relation', from: 'Nora', relationType: 'advises', to })
  const scope = 'advice'
  const ask = async () => (await askContext(app, scope, { task_descriptor: 'Whom does Nora advise?' })).text

  it('do not contradict each other, but what somebody else says does', async () => {
    const file = ['Bo', 'Cy'].map(relate).join('\n')
    const imported = await importFile(app, file, { query: `?format=mcp-memory&scope=${scope}` })
    expect(listLineResults(imported)).toEqual(['1 created', '2 created'])
    const text = await ask()
    expect(text).toContain('Nora advises Bo')
    expect(text).toContain('Nora advises Cy')
    expect(text).not.toContain('disputed')
    const payload = { kind: 'semantic', subject: 'Nora', predicate: 'advises', object: 'nobody' }
    await create(app, fact({ scope, payload }))
    expect(await ask()).toContain('(disputed) Nora advises Bo')
  })
})

describe('an entity of mcp-memory', () => {
  it('loses blank observations, and only an observation of a wrong type is refused', async () => {
    const observations = ['good one', '', ' ', null, { text: 'no text' }, 'good one', 7]
    const line = JSON.stringify({ type: 'entity', name: 'Ada', entityType: 'person', observations })
    const imported = await importFile(app, line, { query: '?format=mcp-memory&scope=blank' })
    expect(listLineResults(imported)).toEqual([
      '1 created',
      '1 created',
      '1 invalid validation_failed',
      '1 created',
    ])
    expect(imported.reports[2].problem.errors[0].pointer).toBe('/observations')
    const [entity, ...texts] = await Promise.all(
      imported.reports.filter(({ id }) => id).map(({ id }) => read(app, id)),
    )
    expect(entity.payload.canonical_name).toBe('Ada')
    expect(texts.map(({ payload }) => payload.object)).toEqual(['good one', '7'])
  })
})

describe('a file that is no import', () => {
  const deep = `[${'{"a":['.repeat(2_000)}1${']}'.repeat(2_000)}]`
  it.each([
    ['a number', '42', 200],
    ['half a document', '{"results":[{"id":"a","memory":"b"', 200],
    ['a list of wrong types', '[1,"two",null,[],{"id":{},"memory":[]}]', 200],
    ['deep nesting', deep, 200],
    [
      'a lone surrogate and a null character',
      '[{"id":"a","memory":"\\ud800"},{"id":"b","memory":"\\u0000"}]',
      200,
    ],
    ['a document with more after it', '{"results":[]} {"results":[]}', 200],
    ['a time that is none', '[{"id":"a","memory":"b","created_at":"soon"}]', 200],
    ['a time far in the future', '[{"id":"a","memory":"b","created_at":9e15}]', 200],
    ['bytes', '\u0000\u0001\u0002', 200],
  ])('is answered by a report without created records: %s', async (_, file) => {
    const { status, text, reports, ending } = await importFile(app, file, { query: '?format=mem0' })
    expect(status, text).toBe(200)
    expect(ending.summary.created).toBe(0)
    expect(ending.summary.invalid).toBe(reports.length)
    expect(reports.length).toBeGreaterThan(0)
    expect(text).not.toContain('internal_error')
  })

  it('is refused when its format is unknown', async () => {
    expect((await importFile(app, '[]', { query: '?format=diary' })).status).toBe(422)
    expect((await importFile(app, '{"a":1}')).status).toBe(415)
  })

  it('is refused with a scope when its lines name their own', async () => {
    const { status, body } = await app.request('POST', '/v1/import?format=membrane&scope=x', {
      body: '{}',
      headers: { 'content-type': 'application/x-ndjson' },
    })
    expect([status, body]).toMatchObject([422, { errors: [{ pointer: '?scope' }] }])
  })
})
