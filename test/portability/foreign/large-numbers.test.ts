import { afterAll, expect, it } from 'vitest'
import { importFile, listLineResults } from '../../support/files/foreign-files.ts'
import { buildZip } from '../../support/files/zip-file.ts'
import { importLines } from '../../support/requests/export-and-import.ts'
import { read } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const large = '1234567890123456789'

it('does not refuse a memory for a number in a field that is lost, and keeps an id as a text', async () => {
  const text = String.raw`said \"-${large}\" and [1e400`
  const file = `[
    {"id":"a","memory":"${text}","metadata":{"message_id":${large},"list":[-${large},1e400, 7]}},
    {"id":${large},"memory":"b","metadata":{}},
    {"id":"c","memory":"c","created_at":${large}}
  ]`
  const { reports } = await importFile(app, file, { query: '?format=mem0' })
  expect(listLineResults({ reports })).toEqual(['1 created', '2 created', '3 invalid validation_failed'])
  const [first, second] = await Promise.all(reports.slice(0, 2).map(({ id }) => read(app, id)))
  expect(first.payload.object).toBe(`said "-${large}" and [1e400`)
  expect(second.provenance.sources[0].ref).toBe(`mem0:${large}`)
  expect(listLineResults(await importFile(app, file, { query: '?format=mem0' }))[1]).toBe('2 unchanged')
})

it('refuses a number that is too large where a number is needed', async () => {
  const file = `{"memories":[{"id":"a","content":"a","salience":${large}}]}`
  const { reports } = await importFile(app, file, { query: '?format=openmemory' })
  expect(reports[0].problem.errors).toEqual([{ pointer: '/salience', message: 'must be a number' }])
})

it('keeps it as a text in a value that is kept as JSON', async () => {
  const row = `[{"namespace":"n","key":"k","value":{"count":${large}}}]`
  const { reports } = await importFile(app, row, { query: '?format=langgraph' })
  expect((await read(app, reports[0].id)).payload.object).toBe(`{"count":"${large}"}`)
})

it('does not refuse a whole file of an archive, or what is refused for another reason', async () => {
  const facts = '[{"text":"The pump failed"},{"text":"\\u0000"}]'
  const data = `{"id":"d","facts":${facts},"metadata":{"ticket":${large}}}`
  const zip = buildZip([{ name: 'documents/1.json', data }])
  expect(listLineResults(await importFile(app, zip, { query: '?format=hindsight' }))).toEqual([
    '1 created',
    '2 invalid validation_failed',
  ])
  const good = buildZip([{ name: 'documents/1.json', data: data.replace(String.raw`\u0000`, 'frost') }])
  expect(listLineResults(await importFile(app, good, { query: '?format=hindsight' }))).toEqual([
    '1 unchanged',
    '2 created',
  ])
  const deep = `[{"id":"d","memory":"d","a":${large},"b":${'['.repeat(50_000)}${']'.repeat(50_000)}}]`
  expect(listLineResults(await importFile(app, deep, { query: '?format=mem0' }))).toEqual([
    '1 invalid validation_failed',
  ])
})

it('is still refused in a line of our own', async () => {
  const line = `{"type":"semantic","payload":{"kind":"semantic","subject":"a","predicate":"b","object":${large}}}`
  expect(listLineResults(await importLines(app, line))).toEqual(['1 invalid number_too_large'])
})

it('a count leaves room for what is counted later', async () => {
  const line = (count: number) => ({
    type: 'entity',
    payload: {
      kind: 'entity',
      canonical_name: `Counted ${count}`,
      primary_type: 'Other',
      types: ['Other'],
      aliases: [],
      identifiers: [],
    },
    access_count: count,
    served_count: count - 1,
    confirmation_count: count,
    last_accessed_at: '2026-01-02T00:00:00Z',
  })
  const { reports } = await importLines(app, [line(1_000_000_000), line(2_147_483_647)])
  expect(reports.map(({ status }) => status)).toEqual(['created', 'invalid'])
  const { id } = reports[0]
  const body = { actor: 'ada', rationale: 'it helped' }
  expect((await app.request('POST', `/v1/records/${id}/reinforce`, { body })).status).toBe(200)
  expect((await read(app, id)).access_count).toBe(1_000_000_001)
})
