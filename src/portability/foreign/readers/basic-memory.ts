import { AppError } from '../../../kernel/errors.ts'
import { maxLineBytes } from '../../line-limits.ts'
import { baseName, isArchive, readMembers, readText } from '../archive/member-reading.ts'
import { tagsOf, timeOf, wordOf } from '../fields.ts'
import { created, entityPayload, factPayload, notePayload } from '../item-forms.ts'
import { type ForeignFile, type Item, type Reader, readItem } from '../items.ts'
import { type Note, parseNote } from '../markdown-note.ts'

/** One note, or an archive of notes. */
export const readBasicMemory: Reader = (file) =>
  isArchive(file.head)
    ? readMembers(
        file,
        (name) => name.endsWith('.md') && !baseName(name).startsWith('.'),
        (name, bytes) => [(line) => noteItems(parseNote(readText(bytes), baseName(name)), line)],
      )
    : readSingle(file)

async function* readSingle(file: ForeignFile) {
  const parts: Buffer[] = []
  let size = 0
  for await (const chunk of file.chunks()) {
    size += chunk.length
    if (size > maxLineBytes)
      throw new AppError('body_too_large', `A note may have at most ${maxLineBytes} bytes.`)
    parts.push(chunk)
  }
  yield* readItem(1, () => noteItems(parseNote(readText(Buffer.concat(parts)), 'note'), 1))
}

/** The note is an entity; its observations, relations and other text are facts about it. */
function noteItems({ title, fields, text, observations, relations }: Note, line: number): Item[] {
  const note = `note:${title}`
  const at = created(timeOf(fields, 'created'))
  const subject = [{ predicate: 'subject_entity', to: note }]
  const ref = `basic-memory:${wordOf(fields, 'permalink') ?? title}`
  const entity = {
    type: 'entity' as const,
    payload: entityPayload(title, wordOf(fields, 'type') ?? 'Document'),
  }
  const fact = (source: string, record: object, links = subject): Item => ({
    ...{ line, ref, links, source: `${source}:${JSON.stringify([title])}` },
    record: { type: 'semantic', ...at, ...record } as Extract<Item, { record: unknown }>['record'],
  })
  return [
    { line, ref, source: note, record: { ...entity, ...tagsOf(fields, 'tags'), ...at } },
    ...(text === '' ? [] : [fact('text', { payload: notePayload(title, text) })]),
    ...observations.map((each) =>
      fact(`observation:${each.text}`, { payload: notePayload(title, each.text), tags: each.tags }),
    ),
    ...relations.map(({ predicate, target }) =>
      fact(
        `relation:${JSON.stringify([predicate, target])}`,
        { payload: factPayload({ subject: title, predicate, object: target }) },
        [...subject, { predicate: 'object_entity', to: `note:${target}` }],
      ),
    ),
  ]
}
