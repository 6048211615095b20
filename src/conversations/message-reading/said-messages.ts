import { joinTexts, type MessageCalls } from '../../domain/payloads/message-content.ts'
import { isSystem, isTool } from '../../domain/payloads/message-roles.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json-objects.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import type { NewMessage, NewMessages } from '../new-messages.schemas.ts'
import { findText, isResult, type Reading, readCalls, readText } from './message-calls.ts'
import { readKind } from './part-shapes.ts'

/**
 * Reads messages in the shapes of chat APIs: a text, or a list of parts, and the calls of tools with their results. Parts that say
 * nothing in words, such as images and the thoughts of a model, are left out.
 */

/** What a message says. */
export type SaidMessage = Pick<NewMessage, 'id' | 'role' | 'name' | 'at'> & {
  metadata?: JsonObject
  text: string
  calls: MessageCalls
  /** The place in the request. */
  index: number
}

/** A request whose messages are read. */
export type SaidMessages = Omit<NewMessages, 'messages'> & { messages: readonly SaidMessage[] }

export function readMessages(
  messages: readonly NewMessage[],
  isInexact: Reading['isInexact'],
): SaidMessage[] {
  const reading = { names: new Map<string, string>(), isInexact }
  return messages.map((message, index) => readMessage(message, index, reading))
}

function readMessage(message: NewMessage, index: number, reading: Reading): SaidMessage {
  const { id, role, name, at, metadata, content, tool_calls, refusal, audio } = message
  const result = findToolResult(message)
  const parts = findParts(message).parts.map(readKind)
  const calls = readCalls((tool_calls ?? []).map(completeCall), result ? [result] : parts, reading)
  const said = parts.length === 0 && typeof content === 'string' ? content : joinTexts(parts.map(readText))
  const written = result ? '' : said
  const text = written === '' ? refusal || readTranscript(audio) : written
  // The name in the result of a tool is that of the tool, which is no writer.
  const given = omitNulls({
    id,
    name: result ? undefined : name,
    at,
    metadata: isJsonObject(metadata) ? metadata : undefined,
  })
  return { ...given, role: chooseRole(role, text, calls), text, calls, index }
}

/** The AI SDK calls the parts of a message `parts`, and LlamaIndex `blocks`. */
export function findParts({ parts, blocks, content }: NewMessage): {
  member: string
  parts: readonly unknown[]
} {
  if (parts) return { member: 'parts', parts }
  if (blocks) return { member: 'blocks', parts: blocks }
  return { member: 'content', parts: Array.isArray(content) ? content : [] }
}

/** The result of a tool that is a message of its own, as a part. */
function findToolResult(message: NewMessage): JsonObject | undefined {
  const { role, name, content, tool_call_id: id } = message
  const isOfTool = isTool(role) && name !== undefined
  const { member, parts } = findParts(message)
  // Only the parts say which of several calls they answer.
  if ((id == null && !isOfTool) || parts.some((part) => isJsonObject(part) && isResult(part)))
    return undefined
  const said = member === 'content' ? content : parts.map(readKind)
  return { type: 'tool_result', ...(id == null ? {} : { tool_use_id: id }), name, content: said }
}

/** Whether there is anything to remember of a message. */
export function saysAnything(message: SaidMessage): boolean {
  const { id, text, calls } = message
  return (text !== '' || calls.length > 0) && !(id === undefined && isPrompt(message))
}

/**
 * Whether the program writes to the model. An agent that sends its whole list of messages sends its prompt too, often with
 * memories in it and with another text each time. Only an id shows that a message of such a role is meant to be kept.
 */
export function isPrompt({ role }: { role: string }): boolean {
  return isSystem(role)
}

/** Anthropic's API has the results of tools in messages of the user, who has not written them. */
function chooseRole(role: string, text: string, calls: MessageCalls): string {
  const isOfTools = text === '' && calls.length > 0 && calls.every(({ result }) => result !== undefined)
  return isOfTools && role === 'user' ? 'tool' : role
}

function readTranscript(audio: unknown): string {
  return (isJsonObject(audio) && findText(audio, ['transcript'])) || ''
}

/** Some servers with the API of OpenAI leave out the type. */
export function completeCall(call: unknown): unknown {
  return isJsonObject(call) ? { type: 'function', ...call } : call
}
