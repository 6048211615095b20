import { asFields, type Fields, readTags, readTime, readWord, requireText } from '../fields.ts'
import { createNotePayload } from '../item-forms.ts'
import type { Item, Reader } from '../items.ts'
import { readParts } from '../part-reading.ts'
import { isSqlite } from '../sqlite-table.ts'
import { readMem0History } from './mem0-history.ts'

const lists: ReadonlySet<string> = new Set(['', 'results', 'records', 'memories'])

/** The answer of `get_all`, of Python and of TypeScript, a page of the platform, the migration artifact, or a `history.db`. */
export const readMem0: Reader = (file) =>
  isSqlite(file.head)
    ? readMem0History(file)
    : readParts(file, lists, (value, line) => [readMemory(value, line)])

function readMemory(value: unknown, line: number): Item {
  const fields = asFields(value)
  const source = requireText(fields, 'id')
  const text = requireText(fields, 'memory', 'data', 'text')
  const end = readTime(fields, 'expiration_date', 'expirationDate')
  const payload = createNotePayload(readSubject(fields), text, { end })
  const createdAt = readTime(fields, 'created_at', 'createdAt')
  const record = { type: 'semantic' as const, payload, ...readTags(fields, 'categories') }
  return { line, source, record, createdAt }
}

/** Whose memory it is. It says what the text is about, never where it is stored. */
function readSubject(fields: Fields): string {
  return (
    readWord(fields, 'user_id', 'userId') ??
    readWord(fields, 'agent_id', 'agentId') ??
    readWord(fields, 'run_id', 'runId') ??
    'mem0'
  )
}
