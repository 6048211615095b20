import { afterAll, expect, it } from 'vitest'
import { importFile, listLineResults } from '../../support/files/foreign-files.ts'
import { buildZip } from '../../support/files/zip-file.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const conversation = (id: string, padding = '') => ({
  uuid: id,
  chat_messages: [{ uuid: 'm', sender: 'human', text: `Said in ${id}` }],
  summary: padding,
})
const users = { name: 'users.json', data: '[]' }
const memories = { name: 'memories.json', data: '{"conversations_memory":"Keeps bees."}' }

it.each([
  ['packed, and longer than an item may be', {}, 18],
  ['packed, with sizes after the data', { descriptor: true }, 2],
  ['stored', { stored: true }, 2],
])('a list in an archive may be %s', async (name, how, count) => {
  const items = Array.from({ length: count }, (_, n) => conversation(`${name}-${n}`, 'x'.repeat(1_024 ** 2)))
  const zip = buildZip([{ name: 'conversations.json', data: JSON.stringify(items), ...how }, memories, users])
  const { ending } = await importFile(app, zip, { query: `?scope=${encodeURIComponent(name)}` })
  expect(ending).toMatchObject({ format: 'claude', summary: { created: count + 1, invalid: 0 } })
})

it('an item of a list that is too large is refused alone', async () => {
  const items = [
    conversation('small'),
    conversation('large', 'x'.repeat(16 * 1_024 ** 2)),
    conversation('after'),
  ]
  const zip = buildZip([{ name: 'conversations.json', data: JSON.stringify(items) }, users])
  expect(listLineResults(await importFile(app, zip))).toEqual([
    '1 created',
    '2 invalid body_too_large',
    '3 created',
  ])
})

it('a file that is broken does not affect the files after it', async () => {
  for (const data of [`[${JSON.stringify(conversation('cut'))}, {"uuid"`, '[1] and more', '{"broken"', '']) {
    const zip = buildZip([{ name: 'conversations.json', data }, memories, users])
    const { reports, ending } = await importFile(app, zip, { query: `?dry_run=true` })
    expect(ending.summary, data).toMatchObject({ invalid: data.startsWith('[1]') ? 2 : 1 })
    expect(reports.at(-1), data).toMatchObject({ status: 'created' })
  }
})

it('a file that cannot be unpacked is refused with the reason', async () => {
  const zip = buildZip([{ name: 'conversations.json', data: '[]', stored: true }, memories, users])
  // The flag of an encrypted file.
  zip.writeUInt16LE(1, 6)
  const { reports } = await importFile(app, zip)
  expect(listLineResults({ reports })).toEqual(['1 invalid validation_failed', '2 created'])
  expect(reports[0].problem.errors[0].message).toBe('is encrypted, or packed in another way than by DEFLATE')
})

it('keeps the items before the place where an archive ends, and reports the end once', async () => {
  const items = Array.from({ length: 40 }, (_, n) =>
    conversation(`kept-${n}`, String(Math.sin(n)).repeat(9_000)),
  )
  const zip = buildZip([{ name: 'conversations.json', data: JSON.stringify(items), stored: true }, users])
  const { ending } = await importFile(app, zip.subarray(0, zip.length / 2), { query: '?format=claude' })
  expect(ending.summary.invalid).toBe(1)
  expect(ending.summary.created).toBeGreaterThan(10)
})
