import { AppError } from '../../../kernel/errors.ts'
import { asFields, type Fields, readTags, readTime, readWord, requireText } from '../fields.ts'
import { computeFingerprint } from '../identity.ts'
import { createNotePayload } from '../item-forms.ts'
import type { ForeignFile, Item, Reader } from '../items.ts'
import { readJsonLines, readParts } from '../part-reading.ts'

const lists: ReadonlySet<string> = new Set([''])

/** Texts of any program, as an array or one in each line. Each is a JSON text, or an object with the text and what it is about. */
export const readTexts: Reader = (file) => {
  const isArray = /^\s*\[/.test(file.head.toString('utf8'))
  const read = (value: unknown, line: number) => [readItem(value, line)]
  return isArray ? readParts(file, lists, read) : readJsonLines({ ...file, parse: parseLine(file) }, read)
}

/** A file of plain text is often taken for lines of JSON. */
const parseLine = (file: ForeignFile) => (bytes: Buffer) => {
  try {
    return file.parse(bytes)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'malformed_json') throw error
    const hint = '`jq -R . FILE` writes each line of a plain text as JSON.'
    throw new AppError('malformed_json', `The line is not JSON in UTF-8. ${hint}`)
  }
}

function readItem(value: unknown, line: number): Item {
  const fields: Fields = typeof value === 'string' ? { text: value } : asFields(value)
  const text = requireText(fields, 'text', 'content', 'memory')
  const about = readWord(fields, 'about', 'subject', 'user_id')
  return {
    line,
    // A text without an id is known by what it says. A digest, because it may be longer than a reference.
    source: readWord(fields, 'id') ?? computeFingerprint([about ?? '', text]),
    record: {
      type: 'semantic',
      payload: createNotePayload(about ?? '', text),
      ...readTags(fields, 'tags'),
    },
    createdAt: readTime(fields, 'created_at', 'createdAt', 'timestamp'),
    happenedAt: readTime(fields, 'occurred_at'),
  }
}
