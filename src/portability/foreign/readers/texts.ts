import { asFields, type Fields, readTags, readTime, readWord, requireText } from '../fields.ts'
import { computeFingerprint } from '../identity.ts'
import { createNotePayload } from '../item-forms.ts'
import type { Item, Reader } from '../items.ts'
import { readJsonLines, readParts } from '../part-reading.ts'

const lists: ReadonlySet<string> = new Set([''])

/** Texts of any program, as an array or one in each line. Each is a JSON text, or an object with the text and what it is about. */
export const readTexts: Reader = (file) => {
  const isArray = /^\s*\[/.test(file.head.toString('utf8'))
  const read = (value: unknown, line: number) => [readItem(value, line)]
  return isArray ? readParts(file, lists, read) : readJsonLines(file, read)
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
