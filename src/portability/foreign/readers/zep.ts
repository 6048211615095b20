import { isJsonObject } from '../../../kernel/json-objects.ts'
import { asFields, type Fields, listOf, readTime, readWord, requireText } from '../fields.ts'
import { createNotePayload } from '../item-forms.ts'
import type { Item, Reader, Reading } from '../items.ts'
import { createMessageItems, createMessagePlacing, type Message, placeMessage } from '../messages.ts'
import { readParts } from '../part-reading.ts'

const sessionLists: ReadonlySet<string> = new Set(['', 'sessions', 'threads'])
const factLists: ReadonlySet<string> = new Set(['facts', 'relevant_facts'])
const lists: ReadonlySet<string> = new Set([...sessionLists, 'messages', ...factLists])

/** What Zep calls writers where it does not say their name. */
const roles = new Map([
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['system', 'system'],
  ['tool', 'tool'],
  ['function', 'tool'],
])

/** The answer for a session or a thread, with its messages and facts, or a list of such answers. */
export const readZep: Reader = (file) => {
  const place = createMessagePlacing()
  const { user, id } = findSession(file.head.toString('utf8'))
  let session = id
  return readParts(file, lists, (value, line, list): Reading[] => {
    if (sessionLists.has(list)) return readSession(asFields(value), line)
    if (factLists.has(list)) return [readFact(value, line, user)]
    const message = readMessage(asFields(value))
    // Answers do not name the session.
    session ??= message?.id
    return message === undefined || session === undefined ? [] : [place(line, session, message)]
  })
}

/** The names that a person has put before the list of messages. */
function findSession(head: string) {
  const [before = ''] = head.split(/"messages"\s*:/, 1)
  const find = (pattern: RegExp) => pattern.exec(before)?.[1]
  return {
    id: find(/"(?:thread_id|session_id)"\s*:\s*"([^"\\]{1,256})"/),
    user: find(/"user_id"\s*:\s*"([^"\\]{1,256})"/),
  }
}

function readSession(fields: Fields, line: number): Reading[] {
  const messages = listOf(fields, 'messages').flatMap((value, index) =>
    placeMessage(line, `/messages/${index}`, () => readMessage(asFields(value))),
  )
  const first = messages.flatMap((each) => ('id' in each ? [each.id] : []))[0]
  const id = readWord(fields, 'thread_id', 'session_id') ?? first
  const user = readWord(fields, 'user_id')
  const facts = [...factLists].flatMap((list) => listOf(fields, list))
  return [
    ...(id === undefined ? [] : createMessageItems(line, id, messages, readTime(fields, 'created_at'))),
    ...facts.map((fact) => readFact(fact, line, user)),
  ]
}

/** A system message is a prompt, and not a memory. Before version 3 a `role` could be the name of the writer. */
function readMessage(fields: Fields): Message | undefined {
  const word = readWord(fields, 'role')
  const kind = roles.get(readWord(fields, 'role_type') ?? '')
  const role = kind ?? roles.get(word ?? '') ?? 'user'
  if (role === 'system' || readWord(fields, 'content') === undefined) return undefined
  return {
    id: requireText(fields, 'uuid', 'uuid_'),
    role,
    name: readWord(fields, 'name') ?? (word !== undefined && roles.has(word) ? undefined : word),
    content: requireText(fields, 'content'),
    at: readTime(fields, 'created_at'),
  }
}

/** Older answers have facts as texts. */
function readFact(value: unknown, line: number, user: string | undefined): Item {
  const fields = isJsonObject(value) ? value : { fact: value }
  const text = requireText(fields, 'fact', 'content')
  const payload = createNotePayload(user ?? '', text, { end: readTime(fields, 'invalid_at') })
  const source = readWord(fields, 'uuid', 'uuid_') ?? JSON.stringify([user ?? '', text])
  const createdAt = readTime(fields, 'created_at')
  return { line, source: `fact:${source}`, record: { type: 'semantic', payload }, createdAt }
}
