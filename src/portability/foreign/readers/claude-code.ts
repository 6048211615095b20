import { joinTexts } from '../../../domain/payloads/message-content.ts'
import { isJsonObject } from '../../../kernel/json-objects.ts'
import { asFields, type Fields, pick, readTime, requireText } from '../fields.ts'
import type { Reader, Reading } from '../items.ts'
import { createMessagePlacing, type Message, type MessagePlacing } from '../messages.ts'
import { readJsonLines } from '../part-reading.ts'

/** Lines that repeat what was said, or that the program or another agent wrote for the model. */
const marks = ['isSidechain', 'isMeta', 'isCompactSummary', 'isApiErrorMessage']

/** Begins a text that the program added to what a person wrote. */
const added =
  /^\s*(?:<(?:command-(?:name|message)|local-command-[a-z]+|bash-(?:input|stdout|stderr)|system-reminder|task-notification|ide_[a-z_]+)>|\[Request interrupted)/

/** Session files, one or several after each other. A session that was continued has the lines of the former one, with their ids. */
export const readClaudeCode: Reader = (file) => {
  const placing = createMessagePlacing()
  return readJsonLines(file, (value, line) => readLine(asFields(value), line, placing))
}

function readLine(fields: Fields, line: number, place: MessagePlacing): Reading[] {
  const type = requireText(fields, 'type')
  const message = pick(fields, 'message')
  const isSaid = (type === 'user' || type === 'assistant') && isJsonObject(message)
  if (!isSaid || marks.some((mark) => fields[mark] === true)) return []
  const content = readContent(pick(message, 'content'))
  if (content === '') return []
  const id = requireText(fields, 'uuid')
  const said: Message = { id, role: type, content, at: readTime(fields, 'timestamp') }
  return [place(line, requireText(fields, 'sessionId'), said, id)]
}

function readContent(content: unknown): string {
  const parts = Array.isArray(content) ? content : [content]
  return joinTexts(parts.map((part) => readText(isJsonObject(part) ? pick(part, 'text') : part)))
}

function readText(text: unknown): unknown {
  if (typeof text !== 'string' || !added.test(text)) return text
  return findArguments(text)
}

/** The arguments of a command, which a person wrote. */
function findArguments(text: string): string | undefined {
  const [begin, end] = ['<command-args>', '</command-args>']
  const start = text.indexOf(begin)
  const stop = start < 0 ? -1 : text.indexOf(end, start)
  return stop < 0 ? undefined : text.slice(start + begin.length, stop)
}
