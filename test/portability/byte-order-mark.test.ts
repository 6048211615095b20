import { Readable } from 'node:stream'
import { afterAll, expect, it } from 'vitest'
import { importFile, listLineResults, readFixture } from '../support/files/foreign-files.ts'
import { buildZip } from '../support/files/zip-file.ts'
import { importLines } from '../support/requests/export-and-import.ts'
import { fact, read } from '../support/requests/record-requests.ts'
import { rootKey, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const mark = '\uFEFF'
const mem0 = (id: string) => JSON.stringify({ results: [{ id, memory: `text of ${id}` }] })

it('is skipped before a document, also when it arrives in pieces', async () => {
  expect(listLineResults(await importFile(app, mark + mem0('whole')))).toEqual(['1 created'])
  const bytes = Buffer.from(mark + mem0('pieces'))
  const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 2), bytes.subarray(2, 9), bytes.subarray(9)]
  const answer = await fetch(new URL('/v1/import?format=mem0', app.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${rootKey}` },
    body: Readable.toWeb(Readable.from(pieces)) as ReadableStream,
    duplex: 'half',
  } as RequestInit)
  expect(await answer.text()).toContain('"status":"created"')
})

it('of UTF-16 is refused with the encoding to send, whether the format is named or not', async () => {
  const little = Buffer.from(mark + mem0('windows'), 'utf16le')
  const big = Buffer.from(little).swap16()
  for (const path of ['/v1/import', '/v1/import?format=mem0', '/v1/import?format=membrane'])
    for (const body of [little, big]) {
      const answer = await fetch(new URL(path, app.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${rootKey}` },
        body,
      })
      expect(answer.status, path).toBe(415)
      expect(await answer.text()).toContain('The file is in UTF-16. Send it in UTF-8.')
    }
})

it('is skipped before lines of records and of another program', async () => {
  const lines = `${mark}${JSON.stringify(fact())}\n${JSON.stringify(fact())}\n`
  expect(listLineResults(await importLines(app, lines))).toEqual(['1 created', '2 created'])
  expect(listLineResults(await importLines(app, lines, { query: '?format=membrane' }))).toEqual([
    '1 created',
    '2 created',
  ])
  const memory = `${mark}${JSON.stringify({ type: 'entity', name: 'Ada', entityType: 'person', observations: [] })}`
  const imported = await importFile(app, memory, { type: 'application/x-ndjson' })
  expect(imported.ending.format).toBe('mcp-memory')
  expect(listLineResults(imported)).toEqual(['1 created'])
})

it('is skipped before a note, and before each file of an archive', async () => {
  const note = `${mark}---\ntitle: Marked\n---\nA text`
  const { reports } = await importFile(app, note, { type: 'text/markdown' })
  expect((await read(app, reports[0].id)).payload.canonical_name).toBe('Marked')
  const plain = buildZip([{ name: 'plain.md', data: `${mark}Only a text` }])
  const archive = await importFile(app, plain)
  expect((await read(app, archive.reports[1].id)).payload.object).toBe('Only a text')
  const data = mark + (await readFixture('chatgpt.json')).toString()
  const chats = await importFile(app, buildZip([{ name: 'conversations.json', data }]))
  expect(chats.ending).toMatchObject({ format: 'chatgpt', summary: { created: 2, invalid: 1 } })
})

it('is nothing by itself, and is refused inside a file', async () => {
  expect(listLineResults(await importLines(app, mark))).toEqual([])
  expect(listLineResults(await importLines(app, Buffer.from([0xef, 0xbb]).toString('latin1')))).toEqual([
    '1 invalid malformed_json',
  ])
  const later = `${JSON.stringify(fact())}\n${mark}${JSON.stringify(fact())}\n`
  expect(listLineResults(await importLines(app, later))).toEqual(['1 created', '2 invalid malformed_json'])
})
