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
import { createNotePayload } from '../item-forms.ts'
import type { Item, Reader, Reading } from '../items.ts'
import { createMessageItems, type Message, placeMessage } from '../messages.ts'
import { readParts } from '../part-reading.ts'

const lists: ReadonlySet<string> = new Set(['', 'conversations', 'projects', 'memories', 'memory_files'])

const memberName = /(?:^|\/)(?:conversations|projects|memories)[^/]*\.json$|(?:^|\/)memories\/[^/]+\.json$/
const included = {
  isIncluded: (name: string) => memberName.test(name),
  names: ['conversations.json', 'projects.json', 'memories.json'],
}

/** An export of Claude, or one of its `conversations.json`, `projects.json` and `memories.json`. */
export const readClaude: Reader = (file) =>
  isArchive(file.head)
    ? readJsonMembers(file, included, readClaudePart)
    : readParts(file, lists, readClaudePart)

function readClaudePart(value: unknown, line: number): readonly Reading[] {
  const fields = asFields(value)
  if (Object.hasOwn(fields, 'chat_messages')) return readConversation(fields, line)
  if (Object.hasOwn(fields, 'docs') || Object.hasOwn(fields, 'prompt_template'))
    return readProject(fields, line)
  if (['conversations_memory', 'project_memories'].some((name) => Object.hasOwn(fields, name)))
    return readMemories(fields, line)
  if (Object.hasOwn(fields, 'content')) return readMemoryFile(fields, line)
  throw createFieldError('', 'must be a conversation, a project or memories')
}

function readConversation(fields: Fields, line: number): Reading[] {
  const messages = listOf(fields, 'chat_messages').flatMap((value, index) =>
    placeMessage(line, `/chat_messages/${index}`, () => readMessage(asFields(value), String(index + 1))),
  )
  return createMessageItems(
    line,
    requireText(fields, 'uuid', 'name'),
    messages,
    readTime(fields, 'created_at'),
  )
}

function readMessage(fields: Fields, id: string): Message | undefined {
  const content = readContent(fields)
  if (content === '') return undefined
  const role = readWord(fields, 'sender') === 'human' ? 'user' : (readWord(fields, 'sender') ?? 'user')
  return { id: readWord(fields, 'uuid') ?? id, role, content, at: readTime(fields, 'created_at') }
}

/** The placeholder that an export writes into `text` for each call of a tool. */
const placeholder = '```\nThis block is not supported on your current device yet.\n```'

/**
 * The text, and the text that was taken out of attached files. Beside what was said, `text` has the thoughts of the model and
 * a placeholder for each call of a tool, so the blocks count first.
 */
function readContent(message: Fields): string {
  const blocks = listOf(message, 'content').map((block) =>
    isJsonObject(block) ? pick(block, 'text') : block,
  )
  const attached = listOf(message, 'attachments').map((each) =>
    isJsonObject(each) ? pick(each, 'extracted_content') : undefined,
  )
  const text = joinTexts(blocks) || readWord(message, 'text')?.replaceAll(placeholder, '').trim()
  return joinTexts([text, ...attached])
}

function readProject(fields: Fields, line: number): Item[] {
  const project = requireText(fields, 'uuid', 'name')
  const name = readWord(fields, 'name') ?? project
  const prompt = readWord(fields, 'prompt_template')
  const prompts =
    prompt === undefined
      ? []
      : [draftNote(line, fields, { source: `${project}#prompt_template`, subject: name, text: prompt })]
  const docs = listOf(fields, 'docs').flatMap((value, index) => {
    const doc = asFields(value, `docs/${index}`)
    const text = readWord(doc, 'content')
    if (text === undefined) return []
    const id = readWord(doc, 'uuid') ?? `${project}#${readWord(doc, 'filename') ?? index}`
    return [draftNote(line, doc, { source: id, subject: readWord(doc, 'filename') ?? name, text })]
  })
  return [...prompts, ...docs]
}

function readMemories(fields: Fields, line: number): Item[] {
  const account = readWord(fields, 'account_uuid') ?? 'account'
  const general = readWord(fields, 'conversations_memory')
  const projects = asFields(pick(fields, 'project_memories') ?? {}, 'project_memories')
  return [
    ...(general === undefined
      ? []
      : [draftNote(line, fields, { source: `memory:${account}`, subject: 'user', text: general })]),
    ...Object.keys(projects).flatMap((id) => {
      const text = readWord(projects, id)
      return text === undefined
        ? []
        : [draftNote(line, fields, { source: `memory:${account}:${id}`, subject: `project ${id}`, text })]
    }),
  ]
}

function readMemoryFile(fields: Fields, line: number): Item[] {
  const name = requireText(fields, 'path', 'name', 'uuid')
  return [
    draftNote(line, fields, {
      source: `memory-file:${name}`,
      subject: name,
      text: requireText(fields, 'content'),
    }),
  ]
}

type Note = { source: string; subject: string; text: string }

/** `fields` say when it was created. */
function draftNote(line: number, fields: Fields, { source, subject, text }: Note): Item {
  const record = { type: 'semantic' as const, payload: createNotePayload(subject, text) }
  return { line, source, record, createdAt: readTime(fields, 'created_at') }
}
