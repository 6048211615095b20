import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults } from '../../support/files/foreign-files.ts'
import { buildZip } from '../../support/files/zip-file.ts'
import { type Body, read } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const targetOf = ({ relations }: Body, name: string): string | undefined =>
  relations.find(({ predicate }: Body) => predicate === name)?.target_id

const note = (title: string, body: string, permalink?: string) =>
  `---\ntitle: ${title}\n${permalink === undefined ? '' : `permalink: ${permalink}\n`}---\n${body}`

function importNotes(files: Record<string, string>, scope: string) {
  const zip = buildZip(Object.entries(files).map(([name, data]) => ({ name, data })))
  return importFile(app, zip, { query: `?format=basic-memory&scope=${scope}` })
}

describe('notes of one title', () => {
  const files = {
    'main.md': note('Main', 'See [[Index]].', 'main'),
    'a/index.md': note('Index', 'Text of a.\n- [fact] Shared words', 'a/index'),
    'b/index.md': note('Index', 'Text of b.\n- [fact] Shared words', 'b/index'),
  }

  it('are stored apart, and a link leads to the first', async () => {
    const { reports, ending } = await importNotes(files, 'apart')
    expect(ending.summary).toMatchObject({ created: 9, conflict: 0, invalid: 0 })
    const [, , link, ...rest] = await Promise.all(reports.map(({ id }) => read(app, id)))
    const [a, textOfA, , b, textOfB, factOfB] = rest
    expect([textOfA, textOfB].map(({ payload }) => payload.object)).toEqual(['Text of a.', 'Text of b.'])
    expect([textOfB, factOfB].map((each) => targetOf(each, 'subject_entity'))).toEqual([b.id, b.id])
    expect(targetOf(link, 'object_entity')).toBe(a.id)
    expect(b.provenance.sources[0].ref).toBe('basic-memory:b/index')
  })

  it('are known again in a second import, and by their paths without a permalink', async () => {
    const plain = { 'a/index.md': note('Index', 'Text of a.'), 'b/index.md': note('Index', 'Text of b.') }
    const first = await importNotes(plain, 'again')
    const again = await importNotes(plain, 'again')
    expect([first, again].map(({ ending }) => ending.summary)).toEqual([
      { created: 4, unchanged: 0, conflict: 0, invalid: 0 },
      { created: 0, unchanged: 4, conflict: 0, invalid: 0 },
    ])
    expect(again.reports.map(({ id }) => id)).toEqual(first.reports.map(({ id }) => id))
  })

  it('leave the first as it was imported alone', async () => {
    const { 'b/index.md': _, ...one } = files
    const alone = await importNotes(one, 'alone')
    const both = await importNotes(files, 'alone')
    expect(both.ending.summary).toMatchObject({ created: 3, unchanged: alone.reports.length })
  })
})

it('refuses only the note whose name cannot be stored', async () => {
  const imported = await importNotes({ 'a\u0000b.md': 'Some text', 'c.md': 'Other text' }, 'names')
  expect(listLineResults(imported)).toEqual(['1 invalid validation_failed', '2 created', '2 created'])
})
