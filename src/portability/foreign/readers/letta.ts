import { joinTexts } from '../../../domain/payloads/message-content.ts'
import { isJsonObject } from '../../../kernel/json-objects.ts'
import { asFields, type Fields, listOf, pick, readTime, readWord, requireText } from '../fields.ts'
import { createNotePayload } from '../item-forms.ts'
import type { Item, Reader, Reading } from '../items.ts'
import { createMessageItems, type Message, placeMessage } from '../messages.ts'
import { readParts } from '../part-reading.ts'

const lists: ReadonlySet<string> = new Set(['agents', 'blocks', 'passages'])

/**
 * An agent file. Its ids are local to the file, so an agent is identified by its name. A block is identified by its agent and label,
 * or by its label and text if no agent has it.
 */
export const readLetta: Reader = (file) => {
  const owners = new Map<string, string>()
  return readParts(file, lists, (value, line, list) => {
    const fields = asFields(value)
    if (list === 'agents') return readAgent(fields, line, owners)
    return list === 'blocks' ? readBlock(fields, line, owners) : [readPassage(fields, line)]
  })
}

/** Agents come before the blocks in the file and name them. */
function readAgent(fields: Fields, line: number, owners: Map<string, string>): Reading[] {
  const agent = requireText(fields, 'name')
  for (const id of listOf(fields, 'block_ids'))
    if (typeof id === 'string' && !owners.has(id)) owners.set(id, agent)
  const messages = listOf(fields, 'messages').flatMap((value, index) =>
    placeMessage(line, `/messages/${index}`, () => readMessage(asFields(value), String(index + 1))),
  )
  return createMessageItems(line, agent, messages, readTime(fields, 'created_at'))
}

/** A system message is the prompt of the agent, and not a memory. */
function readMessage(fields: Fields, id: string): Message | undefined {
  const role = requireText(fields, 'role')
  const content = readReplies(fields) || readContent(pick(fields, 'content'))
  if (role === 'system' || content === '') return undefined
  return {
    id: readWord(fields, 'id') ?? id,
    role,
    name: readWord(fields, 'name'),
    content,
    at: readTime(fields, 'created_at'),
  }
}

/** An agent that answers through the tool `send_message` has only its thoughts in `content`. */
function readReplies(fields: Fields): string {
  const replies = listOf(fields, 'tool_calls').map((call) => {
    const called = isJsonObject(call) ? pick(call, 'function') : undefined
    if (!isJsonObject(called) || called['name'] !== 'send_message') return undefined
    return parseFields(called['arguments'])?.['message']
  })
  return joinTexts(replies)
}

function readContent(content: unknown): string {
  const parts = Array.isArray(content) ? content : [content]
  return joinTexts(parts.map((part) => unpackText(isJsonObject(part) ? pick(part, 'text') : part)))
}

/** Many agents get what a person wrote, and the result of a tool, as the text of a JSON object with its time. */
function unpackText(text: unknown): unknown {
  const packed = parseFields(text)
  if (typeof packed?.['time'] !== 'string') return text
  const { type, status, message } = packed
  // Events of the loop in which the agent runs, and not messages.
  if (type === 'heartbeat' || type === 'login') return undefined
  const isPacked =
    type === 'user_message' || type === 'system_alert' || status === 'OK' || status === 'Failed'
  if (!isPacked || typeof message !== 'string') return text
  return message === 'None' ? undefined : message
}

function parseFields(text: unknown): Fields | undefined {
  if (typeof text !== 'string' || !text.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Many agents have a block that nothing was written to yet. */
function readBlock(fields: Fields, line: number, owners: ReadonlyMap<string, string>): Item[] {
  const value = pick(fields, 'value')
  if (typeof value === 'string' && value.trim() === '') return []
  const agent = owners.get(readWord(fields, 'id') ?? '')
  const label = readWord(fields, 'label') ?? 'block'
  const text = requireText(fields, 'value')
  const source = `block:${JSON.stringify(agent === undefined ? ['', label, text] : [agent, label])}`
  return [{ line, source, record: { type: 'semantic', payload: createNotePayload(label, text) } }]
}

function readPassage(fields: Fields, line: number): Item {
  const payload = createNotePayload('archive', requireText(fields, 'text'))
  const createdAt = readTime(fields, 'created_at')
  const source = `passage:${requireText(fields, 'id')}`
  return { line, source, record: { type: 'semantic', payload }, createdAt }
}
