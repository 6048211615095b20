import { createHash } from 'node:crypto'
import { collectBytes } from '../../../kernel/collections/collected-bytes.ts'
import { AppError } from '../../../kernel/errors.ts'
import { maxLineBytes } from '../../line-limits.ts'
import { isArchive, readBaseName, readMembers, readText } from '../archive/member-reading.ts'
import { readTags, readTime, readWord } from '../fields.ts'
import { createEntityPayload, createFactPayload, createNotePayload } from '../item-forms.ts'
import { type ForeignFile, type Item, type Reader, readItem } from '../items.ts'
import { type Note, parseNote } from '../markdown-note.ts'

const included = {
  isIncluded: (name: string) => name.endsWith('.md') && !readBaseName(name).startsWith('.'),
  names: ['*.md'],
}

/** One note, or an archive of notes. */
export const readBasicMemory: Reader = (file) => {
  if (!isArchive(file.head)) return readSingle(file)
  const placeOf = createPlaces()
  return readMembers(file, included, (name, bytes) => [
    (line) => {
      const path = readText(Buffer.from(name))
      const note = parseNote(readText(bytes), readBaseName(path))
      return createNoteItems(note, line, placeOf(note.title, readPermalink(note) ?? path))
    },
  ])
}

/** Notes of an archive that are known by their titles alone. */
const maxFirst = 100_000

/**
 * Links name a note by its title, before or after it is read. So the first note of a title in an archive is known by the
 * title, and any other one by its place too. Returns the place of a note, undefined for a first one.
 */
function createPlaces() {
  // Digests, because titles may be long.
  const first = new Map<string, string>()
  return (title: string, place: string): string | undefined => {
    const key = computeDigest(title)
    const value = computeDigest(place)
    if (!first.has(key) && first.size < maxFirst) first.set(key, value)
    return (first.get(key) ?? value) === value ? undefined : place
  }
}

function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64')
}

function readPermalink({ fields }: Note): string | undefined {
  return readWord(fields, 'permalink')
}

async function* readSingle(file: ForeignFile) {
  const bytes = await collectBytes(file.chunks(), maxLineBytes)
  if (!bytes) throw new AppError('body_too_large', `A note may have at most ${maxLineBytes} bytes.`)
  yield* readItem(1, () => createNoteItems(parseNote(readText(bytes), 'note'), 1))
}

/** The texts of a note with their headings. Each is known by these, and by its place among those with the same. */
function nameTexts({ sections }: Note): [name: string, text: string][] {
  const counts = new Map<string, number>()
  return sections.map(({ headings, text }) => {
    const path = headings.join(' / ')
    const before = counts.get(path) ?? 0
    counts.set(path, before + 1)
    if (path === '' && before === 0) return ['text', text]
    return [`text:${computeDigest(JSON.stringify([path, before]))}`, path === '' ? text : `${path}\n${text}`]
  })
}

/** The note is an entity; its observations, relations and other text are facts about it. */
function createNoteItems(given: Note, line: number, place?: string): Item[] {
  const { title, fields, observations, relations } = given
  const id = JSON.stringify(place === undefined ? [title] : [title, place])
  const note = place === undefined ? `note:${title}` : `note-at:${id}`
  const createdAt = readTime(fields, 'created')
  const subject = [{ predicate: 'subject_entity', to: note }]
  const ref = `basic-memory:${place ?? readPermalink(given) ?? title}`
  const entity = {
    type: 'entity' as const,
    payload: createEntityPayload(title, readWord(fields, 'type') ?? 'Document'),
  }
  const createFact = (source: string, record: object, links = subject): Item => ({
    line,
    ref,
    links,
    createdAt,
    source: `${source}:${id}`,
    record: { type: 'semantic', ...record } as Extract<Item, { record: unknown }>['record'],
  })
  return [
    { line, ref, createdAt, source: note, record: { ...entity, ...readTags(fields, 'tags') } },
    ...nameTexts(given).map(([name, text]) => createFact(name, { payload: createNotePayload(title, text) })),
    ...observations.map((each) =>
      createFact(`observation:${each.text}`, {
        payload: createNotePayload(title, each.text),
        tags: each.tags,
      }),
    ),
    ...relations.map(({ predicate, target }) =>
      createFact(
        `relation:${JSON.stringify([predicate, target])}`,
        { payload: createFactPayload({ subject: title, predicate, object: target }) },
        [...subject, { predicate: 'object_entity', to: `note:${target}` }],
      ),
    ),
  ]
}
