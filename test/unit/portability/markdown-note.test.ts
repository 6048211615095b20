import { describe, expect, it } from 'vitest'
import { parseNote } from '../../../src/portability/foreign/markdown-note.ts'

const parse = (text: string) => parseNote(text, 'note.md')

describe('a note', () => {
  // A pattern that reads the rest of the line from each of its places takes minutes, and the test ends with its timeout.
  it.each([
    `- ${' '.repeat(100_000)}x`,
    `- x${' '.repeat(400_000)}y`,
    `- x${' y'.repeat(400_000)}`,
    '['.repeat(2_000_000),
    `[[${'a['.repeat(1_000_000)}`,
    `- [a] ${' '.repeat(400_000)}\u2028`,
  ])('is read with a long line that names nothing (%#)', (line) => {
    expect(parse(line)).toMatchObject({ observations: [], relations: [] })
  })

  it('is read with long fields and very many items', () => {
    const long = `${' '.repeat(400_000)}\u2028\n`
    const { fields } = parse(`---\na:${long}-${long}b:\n${'  - x\n'.repeat(300_000)}---\n`)
    expect(fields['b']).toHaveLength(300_000)
  })

  it('has relations whose names contain spaces, and of nested links the innermost', () => {
    const text = '- works with [[ Ada ]]\n*  is in[[Paris]]\n-   [[Alone]]\nSee [[[Inner]] and [[a [[b]]'
    expect(parse(text).relations).toEqual([
      { predicate: 'works with', target: 'Ada' },
      { predicate: 'is in', target: 'Paris' },
      { predicate: 'links_to', target: 'Alone' },
      { predicate: 'links_to', target: 'Inner' },
      { predicate: 'links_to', target: 'b' },
    ])
  })

  it('has bounded texts although its headings are long or very many', () => {
    const long = parse(`# ${'a '.repeat(400_000)}\nText.`).sections
    expect(long.map(({ headings }) => headings.join('').length)).toEqual([200])
    expect(parse('# a\nb\n'.repeat(500_000)).sections).toHaveLength(1_000)
    for (const line of [`# ${' '.repeat(400_000)}\u2028`, `# a${' #'.repeat(400_000)}b`, '`'.repeat(400_000)])
      expect(parse(`${line}\nText.`).sections.length).toBeGreaterThan(0)
  })

  it('has lists in its fields, with or without spaces before the items', () => {
    const { fields } = parse('---\ntags:\n- one\n- two\naliases:\n  - three\n---\n')
    expect(fields).toEqual({ tags: ['one', 'two'], aliases: ['three'] })
  })
})
