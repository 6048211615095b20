import { joinTexts } from '../../../domain/payloads/message-content.ts'
import { isJsonObject } from '../../../kernel/json-objects.ts'
import {
  asFields,
  createFieldError,
  type Fields,
  listOf,
  pick,
  readTime,
  readWord,
  requireText,
} from '../fields.ts'
import type { Reader, Reading } from '../items.ts'
import { createMessagePlacing } from '../messages.ts'
import { readJsonLines } from '../part-reading.ts'

const roles = new Map<unknown, string>([
  ['user_message', 'user'],
  ['agent_message', 'assistant'],
])

/** Begins a text that the program added for the model. */
const added = /^\s*<(?:environment_context|user_instructions|user_action|turn_aborted)>/

type Session = {
  id: string
  begun: string | undefined
  /** The line before its first. */
  before: number
}

type Said = { role: string; content: string; at: string | undefined }

/**
 * Session files, one or several after each other. Messages have no ids, and lines are only added to a file, so a message is known
 * by its line in its file.
 */
export const readCodex: Reader = (file) => {
  const place = createMessagePlacing()
  let session: Session | undefined
  let wasMeta = false

  function begin(fields: Fields, line: number): void {
    const id = requireText(fields, 'id')
    const begun = readTime(fields, 'timestamp')
    // A session that was forked goes on with the first line of the former one, which began earlier.
    const isFormer = wasMeta && !((begun ?? '') > (session?.begun ?? ''))
    if (session === undefined || (session.id !== id && !isFormer)) session = { id, begun, before: line - 1 }
    wasMeta = true
  }

  return readJsonLines(file, (value, line): Reading[] => {
    const fields = asFields(value)
    const meta = findMeta(fields)
    if (meta) {
      begin(meta, line)
      return []
    }
    wasMeta = false
    const said = fields['type'] === 'event_msg' ? readEvent(fields) : readItem(fields, session?.begun)
    if (said === undefined) return []
    if (session === undefined)
      throw createFieldError('', 'must come after the line with the id of the session')
    return [place(line, session.id, { id: String(line - session.before), ...said })]
  })
}

/** The first line of a file. Files of 2025 have its members without a type around them. */
function findMeta(fields: Fields): Fields | undefined {
  if (fields['type'] === 'session_meta') return asFields(pick(fields, 'payload'), 'payload')
  const isFlat = fields['type'] === undefined && fields['record_type'] === undefined
  return isFlat && Object.hasOwn(fields, 'id') ? fields : undefined
}

/** What is shown to the person. The items for the model repeat it, and have what the program added. */
function readEvent(fields: Fields): Said | undefined {
  const event = asFields(pick(fields, 'payload'), 'payload')
  const role = roles.get(event['type'])
  const content = role === undefined ? undefined : readWord(event, 'message')
  if (role === undefined || content === undefined || (readWord(event, 'kind') ?? 'plain') !== 'plain')
    return undefined
  return { role, content, at: readTime(fields, 'timestamp') }
}

/** A message of a file of 2025. Its lines have no times, so it has that of the session. */
function readItem(fields: Fields, begun: string | undefined): Said | undefined {
  if (readWord(fields, 'record_type') !== undefined) return undefined
  const role = requireText(fields, 'type') === 'message' ? readWord(fields, 'role') : undefined
  if (role !== 'user' && role !== 'assistant') return undefined
  const texts = listOf(fields, 'content').map((part) => (isJsonObject(part) ? pick(part, 'text') : part))
  const content = joinTexts(texts.filter((text) => typeof text === 'string' && !added.test(text)))
  return content === '' ? undefined : { role, content, at: readTime(fields, 'timestamp') ?? begun }
}
