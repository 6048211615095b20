import { joinTexts } from '../../../domain/payloads/message-content.ts'
import { isJsonObject } from '../../../kernel/json-objects.ts'
import { isArchive, readJsonMembers } from '../archive/member-reading.ts'
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
import { createMessageItems, type Message, type PlacedMessage, placeMessage } from '../messages.ts'
import { readParts } from '../part-reading.ts'

const lists: ReadonlySet<string> = new Set(['', 'conversations'])

const included = {
  isIncluded: (name: string) => /(?:^|\/)conversations[^/]*\.json$/.test(name),
  names: ['conversations.json'],
}

/** An export of ChatGPT, or its `conversations.json`. */
export const readChatgpt: Reader = (file) =>
  isArchive(file.head)
    ? readJsonMembers(file, included, readChatgptConversation)
    : readParts(file, lists, readChatgptConversation)

function readChatgptConversation(value: unknown, line: number): Reading[] {
  const fields = asFields(value)
  const conversation = requireText(fields, 'conversation_id', 'id', 'title')
  const begun = readTime(fields, 'create_time')
  return createMessageItems(line, conversation, listBranch(fields, line), begun)
}

/** The messages of the branch that was shown last: from `current_node` up to the root. */
function listBranch(fields: Fields, line: number): PlacedMessage[] {
  const nodes = asFields(pick(fields, 'mapping'), 'mapping')
  const branch: PlacedMessage[] = []
  const seen = new Set<string>()
  for (let id = readWord(fields, 'current_node') ?? findLast(nodes); id !== undefined; ) {
    if (seen.has(id)) throw createFieldError('mapping', 'must not lead back to the same node')
    seen.add(id)
    const nodeId = id
    const node: Fields = asFields(pick(nodes, nodeId), `mapping/${nodeId}`)
    branch.push(...placeMessage(line, `/mapping/${nodeId}`, () => readMessage(node, nodeId)))
    id = readWord(node, 'parent')
  }
  return branch.reverse()
}

/** Without `current_node`, the last of the nodes that have no children. */
function findLast(nodes: Fields): string | undefined {
  return Object.keys(nodes).findLast((id) => {
    const node = nodes[id]
    return isJsonObject(node) && listOf(node, 'children').length === 0
  })
}

function readMessage(node: Fields, nodeId: string): Message | undefined {
  const message = pick(node, 'message')
  if (!isJsonObject(message)) return undefined
  const metadata = pick(message, 'metadata')
  if (isJsonObject(metadata) && metadata['is_visually_hidden_from_conversation'] === true) return undefined
  const content = readContent(message)
  const role = readWord(asFields(pick(message, 'author') ?? {}, 'author'), 'role')
  if (content === '' || role === undefined) return undefined
  return { id: readWord(message, 'id') ?? nodeId, role, content, at: readTime(message, 'create_time') }
}

function readContent(message: Fields): string {
  const content = pick(message, 'content')
  if (!isJsonObject(content)) return ''
  const parts = listOf(content, 'parts').map((part) => (isJsonObject(part) ? pick(part, 'text') : part))
  return joinTexts([...parts, pick(content, 'text')])
}
