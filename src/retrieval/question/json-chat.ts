import { isJsonObject } from '../../kernel/json-objects.ts'

/**
 * Reads a task that is a list of chat messages in JSON, which an agent sends instead of its last message. As plain text, "role",
 * "content" and the names of roles would be words to search for.
 */

const beginsAsList = /^\s*\[\s*\{/

/** The chat with a label before each turn, or the text of its only turn. Any other task is returned as it is. */
export function writeOutChat(task: string): string {
  if (!beginsAsList.test(task)) return task
  const turns = readList(task).map(readTurn)
  const said = turns.filter((turn) => turn !== undefined)
  if (said.length === 0 || said.length < turns.length) return task
  const spoken = said.filter(({ text }) => text !== '')
  if (spoken.length < 2) return spoken[0]?.text ?? task
  return spoken.map(({ role, text }) => `${role}: ${text}`).join('\n')
}

function readList(task: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(task)
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

/** Undefined for what is no message. */
function readTurn(message: unknown): { role: string; text: string } | undefined {
  if (!isJsonObject(message) || typeof message['role'] !== 'string') return undefined
  const content = message['content'] ?? message['parts']
  // A message that only calls tools has the content null.
  if (content === undefined && !Object.hasOwn(message, 'content')) return undefined
  const parts = Array.isArray(content)
    ? content.map((part) => (isJsonObject(part) ? part['text'] : part))
    : [content]
  const text = parts.filter((part) => typeof part === 'string').join(' ')
  return { role: message['role'], text: text.trim() }
}
