import { asFields, type Fields, tagsOf, textOf, timeOf, wordOf } from '../fields.ts'
import { created, notePayload } from '../item-forms.ts'
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
  const source = textOf(fields, 'id')
  const text = textOf(fields, 'memory', 'data', 'text')
  const end = timeOf(fields, 'expiration_date', 'expirationDate')
  const payload = notePayload(subjectOf(fields), text, { end })
  const at = timeOf(fields, 'created_at', 'createdAt')
  return {
    line,
    source,
    record: { type: 'semantic', payload, ...tagsOf(fields, 'categories'), ...created(at) },
  }
}

/** Whose memory it is. It says what the text is about, never where it is stored. */
function subjectOf(fields: Fields): string {
  return (
    wordOf(fields, 'user_id', 'userId') ??
    wordOf(fields, 'agent_id', 'agentId') ??
    wordOf(fields, 'run_id', 'runId') ??
    'mem0'
  )
}
