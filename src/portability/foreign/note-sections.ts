import { truncate } from '../../kernel/truncated-text.ts'

/** A text of a note, and the headings above it, the highest first. */
export type Section = { headings: readonly string[]; text: string }

/** A longer heading is cut, and a further one is text: each text repeats the headings above it. */
const longestHeading = 200
const maxHeadings = 1_000

type Heading = { level: number; words: string }

/** In characters. A third of a usual context has room for about as much. */
const longestText = 2_000
const headingLine = /^ {0,3}(#{1,6})[ \t]+(?![ \t])(.*)$/
const fenceLine = /^\s*(`{3,}(?=[^`]*$)|~{3,})/

/** Follows the blocks of code of a note, in which no character has a meaning of its own. */
export function createFenceReader(): (line: string) => boolean {
  let fence = ''
  return function isCode(line) {
    const [, mark = ''] = fenceLine.exec(line) ?? []
    if (fence === '') {
      fence = mark
      return mark !== ''
    }
    if (mark.startsWith(fence) && line.trim() === mark) fence = ''
    return true
  }
}

/**
 * Collects the text of a note in sections, because a question is mostly about one of them, and a heading often says what its text
 * means. A heading that only repeats the title of the note is left out.
 */
export function createSections(title: string) {
  const sections: Section[] = []
  let open: Heading[] = []
  let paragraphs: string[][] = [[]]
  let count = 0

  /** Whether the line is a heading, which ends the section before it. */
  function readHeading(line: string): boolean {
    const [, marks, said = ''] = headingLine.exec(line) ?? []
    if (marks === undefined || count === maxHeadings) return false
    count += 1
    endSection()
    const level = marks.length
    open = open.filter((heading) => heading.level < level)
    const words = said.replace(/ #+$/, '').trim()
    const isTitle = words.toLowerCase() === title.toLowerCase()
    if (words !== '' && !isTitle) open.push({ level, words: truncate(words, longestHeading) })
    return true
  }

  function endSection(): void {
    const headings = open.map(({ words }) => words)
    for (const text of joinParagraphs(paragraphs)) sections.push({ headings, text })
    paragraphs = [[]]
  }

  return {
    readHeading,
    /** Blank lines separate paragraphs, but not within a block of code. */
    add: (line: string, isCode: boolean): void => {
      if (!isCode && line.trim() === '') paragraphs.push([])
      else paragraphs.at(-1)?.push(line)
    },
    end: (): readonly Section[] => {
      endSection()
      return sections
    },
  }
}

/** The paragraphs of a section, as many together as are no longer than a text should be. */
function joinParagraphs(paragraphs: readonly (readonly string[])[]): string[] {
  const texts: string[] = []
  for (const lines of paragraphs) {
    const paragraph = lines.join('\n').trimEnd()
    if (paragraph === '') continue
    const last = texts.at(-1)
    const joined = last === undefined ? paragraph : `${last}\n\n${paragraph}`
    if (last === undefined || joined.length > longestText) texts.push(paragraph)
    else texts[texts.length - 1] = joined
  }
  return texts
}
