import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults } from '../../support/files/foreign-files.ts'
import { exportLines } from '../../support/requests/export-and-import.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** Each is as long as a text may be, and two of them are not. */
const long = 'word '.repeat(20_000)

const claude = (...texts: string[]) => [
  {
    uuid: 'c1',
    chat_messages: [
      {
        uuid: 'm1',
        sender: 'human',
        created_at: '2026-01-01T09:30:00Z',
        content: texts.map((text) => ({ text })),
      },
    ],
  },
]
const langgraph = (...texts: string[]) => [{ namespace: ['n'], key: 'k1', value: { texts } }]
const note = (...texts: string[]) => `---\ntitle: A note\n---\n${texts.join('\n')}\n`

describe('a text of another program that is longer than a text may be', () => {
  it.each([
    ['langgraph', JSON.stringify(langgraph(long, long)), 1],
    ['claude', JSON.stringify(claude(long, long)), 1],
    ['basic-memory', note(long, long), 2],
  ])('is refused in a file of %s, because its export could not be imported', async (format, file, lines) => {
    const imported = await importFile(app, file, { query: `?format=${format}` })
    expect(listLineResults(imported)).toContain('1 invalid validation_failed')
    expect(imported.reports).toHaveLength(lines)
    const { records } = await exportLines(app)
    expect(records.filter((record) => JSON.stringify(record).length > long.length)).toEqual([])
  })
})
