import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults } from '../../support/files/foreign-files.ts'
import { buildZip } from '../../support/files/zip-file.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const mem0 = JSON.stringify({ results: [{ id: 'a', memory: 'a text' }] })

async function importAs(format: string, file: string | Uint8Array) {
  const imported = await importFile(app, file, { query: `?format=${format}` })
  expect(imported.status, imported.text).toBe(200)
  return { results: listLineResults(imported), message: imported.reports[0]?.problem?.errors?.[0].message }
}

describe('a file that is not of the named format', () => {
  it.each([
    ['letta', mem0, 'must have a member agents, blocks or passages'],
    ['letta', '[{"id":"a","memory":"a text"}]', 'must have a member agents, blocks or passages'],
    ['chatgpt', mem0, 'must be a list, or have a member conversations'],
    ['claude', mem0, 'must be a list, or have a member conversations, projects, memories or memory_files'],
    ['graphiti', mem0, 'must have a member edges, facts, entity_edges, episodes, nodes or entities'],
    ['graphiti', '[]', 'must have a member edges, facts, entity_edges, episodes, nodes or entities'],
    ['openmemory', mem0, 'must be a list, or have a member items, memories or temporal_facts'],
    ['mem0', '{}', 'must be a list, or have a member results, records or memories'],
    ['mem0', '{"data":{"results":[]}}', 'must be a list, or have a member results, records or memories'],
    ['langgraph', '{"rows":1,"other":[]}', 'must be an object'],
  ])('gives one refused line: %s, %s', async (format, file, message) => {
    expect(await importAs(format, file)).toEqual({ results: ['1 invalid validation_failed'], message })
  })

  it.each([
    ['claude', 'has no file conversations.json, projects.json or memories.json'],
    ['chatgpt', 'has no file conversations.json'],
    ['hindsight', 'has no file documents/*.json or observations.json'],
    ['basic-memory', 'has no file *.md'],
  ])(
    'gives one refused line for an archive of other files, and an empty one: %s',
    async (format, message) => {
      const refused = { results: ['1 invalid validation_failed'], message }
      const others = buildZip([
        { name: 'notes.txt', data: 'a text' },
        { name: 'data.json', data: mem0 },
      ])
      expect(await importAs(format, others)).toEqual(refused)
      expect(await importAs(format, buildZip([]))).toEqual(refused)
    },
  )

  it('is refused as empty', async () => {
    const empty = { status: 415, text: expect.stringContaining('The file is empty') }
    for (const query of ['', '?scope=team', '?format=mem0', '?format=chatgpt', '?format=basic-memory'])
      for (const file of ['', ' \n'])
        expect(await importFile(app, file, { query }), query).toMatchObject(empty)
  })

  it('is refused also when its beginning looks like a format', async () => {
    for (const file of ['{"result":[{"id":"a","memory":"b"}]}', `{"data":${mem0}}`]) {
      const imported = await importFile(app, file)
      expect(imported.ending).toMatchObject({ format: 'mem0', summary: { created: 0, invalid: 1 } })
    }
  })

  it.each([
    ['mem0', '{"results": []}'],
    ['mem0', '[]'],
    ['mem0', '{"total": 0, "results" : [ ] , "next": null}'],
    ['letta', '{"agents":[],"blocks":[]}'],
    ['chatgpt', '[]'],
    ['langgraph', '[]'],
    ['graphiti', '{"nodes":[]}'],
    ['mcp-memory', ''],
  ])('is no empty file of that format: %s, %s', async (format, file) => {
    expect((await importAs(format, file)).results).toEqual([])
  })

  it('is refused with what to do when it is packed, or shows no format', async () => {
    for (const query of ['', '?format=mem0']) {
      const packed = await importFile(app, gzipSync(mem0), { query })
      expect(packed.status).toBe(415)
      expect(packed.text).toContain('packed with gzip')
    }
    const notes = await importFile(app, 'Buy oat milk.')
    expect(notes.status).toBe(415)
    expect(notes.text).toContain('mem0, mcp-memory, chatgpt')
  })

  it('is no archive of empty lists', async () => {
    const empty = buildZip([{ name: 'conversations.json', data: '[]' }])
    expect((await importAs('chatgpt', empty)).results).toEqual([])
  })
})
