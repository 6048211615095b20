import { afterAll, describe, expect, it } from 'vitest'
import type { ForeignFile } from '../../../../src/portability/foreign/items.ts'
import { readTable } from '../../../../src/portability/foreign/sqlite-table.ts'
import { listBrokenLaws } from '../../../support/checks/broken-laws.ts'
import { importFile, listLineResults } from '../../../support/files/foreign-files.ts'
import { buildSqlite } from '../../../support/files/sqlite-file.ts'
import { isLongRun } from '../../../support/long-run.ts'
import { type Body, read } from '../../../support/requests/record-requests.ts'
import { retrieve } from '../../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const python = `create table history (id text primary key, memory_id text, old_memory text, new_memory text, event text,
  created_at datetime, updated_at datetime, is_deleted integer, actor_id text, role text)`
const typescript = `create table memory_history (id integer primary key autoincrement, memory_id text not null,
  previous_value text, new_value text, action text not null, created_at text, updated_at text, is_deleted integer default 0)`

type Event = [
  memory: string,
  old: string | null,
  now: string | null,
  event: string,
  created?: string,
  updated?: string,
]
let events = 0
const pythonEvent = ([memory, old, now, event, created, updated]: Event) =>
  [
    'insert into history values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    `event-${events++}`,
    memory,
    old,
    now,
    event,
    created ?? null,
    updated ?? null,
    event === 'DELETE' ? 1 : 0,
    null,
    null,
  ] as const
const buildHistory = (...rows: Event[]) => buildSqlite(python, ...rows.map(pythonEvent))

const first = '2024-03-01T10:00:00-08:00'
const second = '2024-04-01T10:00:00-08:00'
const third = '2024-05-01T10:00:00-08:00'
const kite: Event[] = [
  ['kite', null, 'Flies a red kite', 'ADD', first],
  ['dune', null, 'Walks on the dunes', 'ADD', first],
  ['kite', 'Flies a red kite', 'Flies a blue kite', 'UPDATE', first, second],
  ['kite', 'Flies a blue kite', 'Flies a green kite', 'UPDATE', first, third],
  ['dune', 'Walks on the dunes', null, 'DELETE', first, third],
]

describe('an import of the history of mem0', () => {
  it('stores each text of a memory as the successor of the one before, and retracts deleted memories', async () => {
    const key = await app.issueKey(['records:write', 'records:read'], { scopes: ['beach'] })
    const { reports, ending } = await importFile(app, buildHistory(...kite), { query: '?scope=beach', key })
    expect(ending).toMatchObject({ format: 'mem0', summary: { created: 4, invalid: 0 } })
    expect(listLineResults({ reports })).toEqual(['1 created', '3 created', '4 created', '2 created'])
    const [red, blue, green, dune] = await Promise.all(reports.map(({ id }) => read(app, id)))
    expect([red, blue, green, dune].map(({ status, created_at }) => [status, created_at])).toEqual([
      ['superseded', '2024-03-01T18:00:00.000Z'],
      ['superseded', '2024-04-01T18:00:00.000Z'],
      ['active', '2024-05-01T18:00:00.000Z'],
      ['invalidated', '2024-03-01T18:00:00.000Z'],
    ])
    expect(green.payload.revision.supersedes).toBe(blue.id)
    expect(blue.payload.revision).toMatchObject({ supersedes: red.id, superseded_by: green.id })
    for (const each of [red, blue, green]) {
      expect(each.provenance.sources[0].ref).toBe('mem0:kite')
      expect(each.source_type).toBe('ingest')
    }
    const lineage = (await app.request('GET', `/v1/records/${green.id}/lineage`)).body as Body
    expect(JSON.stringify(lineage)).toContain(red.id)
    const { nodes } = await retrieve(app, { task_descriptor: 'which kite on the dunes', scopes: ['beach'] })
    const found = nodes.map(({ record }: Body) => record.id)
    expect(found).toContain(green.id)
    expect(found.filter((id: string) => [red.id, blue.id, dune.id].includes(id))).toEqual([])
    const again = await importFile(app, buildHistory(...kite), { query: '?scope=beach', key })
    expect(again.ending.summary).toEqual({ created: 0, unchanged: 4, conflict: 0, invalid: 0 })
    expect(again.reports.map(({ id }) => id)).toEqual(reports.map(({ id }) => id))
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('reads the table of the TypeScript build, and a history that begins with an update', async () => {
    const insert = `insert into memory_history (memory_id, previous_value, new_value, action, created_at, updated_at) values (?, ?, ?, ?, ?, ?)`
    const { reports } = await importFile(
      app,
      buildSqlite(
        typescript,
        [insert, 'ts', 'Rows on the lake', 'Rows on the river', 'UPDATE', first, second],
        [insert, 'ts', 'Rows on the river', null, 'DELETE', null, null],
      ),
    )
    const records = await Promise.all(reports.map(({ id }) => read(app, id)))
    expect(records.map(({ status, payload }) => [status, payload.object])).toEqual([
      ['superseded', 'Rows on the lake'],
      ['invalidated', 'Rows on the river'],
    ])
  })

  it('never rewrites a text that is here when the history has grown', async () => {
    const grown: Event[] = [
      ['grown', null, 'Rents a boat', 'ADD', first],
      ['grown', 'Rents a boat', 'Owns a boat', 'UPDATE', first, second],
    ]
    const { reports } = await importFile(app, buildHistory(...grown.slice(0, 1)))
    const later = await importFile(app, buildHistory(...grown))
    expect(listLineResults(later)).toEqual(['1 conflict record_exists', '2 created'])
    expect(later.reports[0].id).toBe(reports[0].id)
    expect((await read(app, reports[0].id)).version).toBe(1)
    expect(await listBrokenLaws(app)).toEqual([])
  })

  it('refuses one memory that cannot be read, and stores the others', async () => {
    const file = buildSqlite(
      python,
      ...kite.slice(0, 1).map(pythonEvent),
      `insert into history values ('b', 'bytes', null, x'ff00', 'ADD', null, null, 0, null, null)`,
      `insert into history values ('c', null, null, 'nobody', 'ADD', null, null, 0, null, null)`,
      `insert into history values ('d', 'nul', null, 'a' || char(0) || 'b', 'ADD', null, null, 0, null, null)`,
      `insert into history values ('e', 'odd', null, 'text', 'ADD', 'soon', null, 0, null, null)`,
    )
    const { reports } = await importFile(app, file, { query: '?scope=partly' })
    expect(listLineResults({ reports })).toEqual([
      '1 created',
      ...[2, 3, 4, 5].map((line) =>
        expect.stringMatching(`^${line} invalid (validation_failed|malformed_json)$`),
      ),
    ])
  })
})

describe('a database file that means harm', () => {
  const rows = `insert into history (memory_id, new_memory, event) values ('h', 'harm', 'ADD')`
  const bomb = 'with recursive n (i) as (select 1 union all select i + 1 from n) select i as memory_id from n'
  const columns = 'memory_id, old_memory, new_memory, event, created_at, updated_at'
  const good = buildHistory(...kite)
  const replaced = (at: number, byte: number) => {
    const bytes = Buffer.from(good)
    bytes[at] = byte
    return bytes
  }
  it.each([
    ['a view that never ends', buildSqlite(`create view history as ${bomb}`)],
    ['a virtual table', buildSqlite(`create virtual table history using fts5(${columns})`)],
    [
      'a computed column',
      buildSqlite(
        `create table history (memory_id, old_memory, new_memory as (printf('%.*c', 100000000, 'x')), event, created_at, updated_at)`,
        `insert into history (memory_id, event) values ('h', 'ADD')`,
      ),
    ],
    [
      'a column that hides the number of the row',
      buildSqlite(`create table history (rowid, ${columns})`, rows),
    ],
    [
      'a table without numbers',
      buildSqlite(`create table history (${columns}, primary key (memory_id)) without rowid`, rows),
    ],
    ['a table without the columns', buildSqlite('create table history (memory_id)')],
    ['another program', buildSqlite('create table notes (text)', `insert into notes values ('x')`)],
    [
      'a schema of many pages',
      buildSqlite(python, ...Array.from({ length: 100 }, (_, n) => `create table t${n} (${columns})`)),
    ],
    ['half a file', good.subarray(0, good.length >> 1)],
    ['only the beginning', good.subarray(0, 100)],
    ['a wrong page size', replaced(16, 0)],
    ['a broken page', Buffer.concat([good.subarray(0, 4_096), Buffer.alloc(good.length - 4_096, 0xff)])],
  ])('is answered by a report that stores nothing: %s', async (_, file) => {
    const { status, text, ending } = await importFile(app, file, { query: '?format=mem0&scope=harm' })
    expect(status, text).toBe(200)
    expect(ending.summary).toMatchObject({ created: 0, invalid: 1 })
    expect(text).not.toMatch(/internal_error|SQLITE|sqlite_|\.ts:/)
  })

  it('is refused before it is opened where it has too many bytes', async () => {
    const part = Buffer.alloc(1_024 ** 2)
    async function* chunks() {
      for (let sent = 0; sent < 65; sent++) yield part
    }
    const readings: unknown[] = []
    const file = { chunks } as unknown as ForeignFile
    for await (const reading of readTable(file, {}, async function* () {})) readings.push(reading)
    expect(readings).toMatchObject([{ line: 1, error: { code: 'body_too_large' } }])
  })

  it('is refused in part where one memory has very many events', async () => {
    const file = buildSqlite(
      `create table history (${columns})`,
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < 10001)
       insert into history select 'h', null, 'text ' || i, 'ADD', null, null from n`,
      `insert into history values ('other', null, 'kept', 'ADD', null, null)`,
    )
    const { reports } = await importFile(app, file, { query: '?format=mem0&scope=events' })
    expect(listLineResults({ reports })).toEqual(['1 invalid validation_failed', '10002 created'])
  })

  it('is refused where its rows share the same pages', async () => {
    const file = buildSqlite(
      `create table history (filler, ${columns})`,
      `insert into history values (zeroblob(2 * 1024 * 1024), 'h', null, 'harm', 'ADD', null, null)`,
    )
    const table = file.readUInt16BE(16)
    const [cells, places] = [table + 3, table + 8]
    file.writeUInt16BE(40, cells)
    for (let cell = 1; cell < 40; cell++) file.copyWithin(places + 2 * cell, places, places + 2)
    const { reports } = await importFile(app, file, { query: '?format=mem0&scope=shared' })
    expect(listLineResults({ reports })).toEqual(['1 invalid validation_failed'])
  })

  it('answers whatever bytes are flipped', async () => {
    for (let at = 16; at < good.length; at += isLongRun ? 97 : 487) {
      const { status, text } = await importFile(app, replaced(at, (good[at] ?? 0) ^ 0xa5), {
        query: `?format=mem0&scope=flipped&dry_run=true`,
      })
      expect(status, `${at}: ${text}`).toBe(200)
      expect(text).not.toContain('internal_error')
    }
  })
})
