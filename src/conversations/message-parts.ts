import { joinTexts, type MessageCalls } from '../domain/payloads/message-content.ts'
import type { Fault } from '../kernel/errors.ts'
import { isJsonObject, type JsonObject } from '../kernel/json-objects.ts'
import type { NewMessage, NewMessages } from './new-messages.schemas.ts'

/**
 * Reads messages in the shapes of chat APIs: a text, or a list of parts, and the calls of tools with their results. Parts that say
 * nothing in words, such as images and the thoughts of a model, are left out.
 */

/** What a message says. */
export type SaidMessage = Pick<NewMessage, 'id' | 'role' | 'name' | 'at' | 'metadata'> & {
  text: string
  calls: MessageCalls
  /** The place in the request. */
  index: number
}

/** A request whose messages are read. */
export type SaidMessages = Omit<NewMessages, 'messages'> & { messages: readonly SaidMessage[] }

type Call = MessageCalls[number]

/** A result that is sent without its call has the name of no tool. */
const unknownTool = 'tool'
const longestName = 256
const jsonResult = /^(?:error-)?json$/

type Reading = {
  /** The tools of the calls, by the ids of the calls. */
  names: Map<string, string>
  /** Whether a text of JSON has a number that would lose digits. */
  isInexact: (json: string) => boolean
}

export function readMessages(
  messages: readonly NewMessage[],
  isInexact: Reading['isInexact'],
): SaidMessage[] {
  const reading = { names: new Map<string, string>(), isInexact }
  return messages.map((message, index) => {
    const {
      content,
      role,
      tool_calls,
      tool_call_id,
      refusal,
      audio,
      annotations: _,
      function_call: _1,
      ...rest
    } = message
    const parts = Array.isArray(content) ? content : []
    const isResult = tool_call_id != null
    const answered = isResult ? [{ type: 'tool_result', tool_use_id: tool_call_id, content }] : parts
    const calls = readCalls([...(tool_calls ?? []).map(completeCall), ...answered], reading)
    const written = isResult ? '' : typeof content === 'string' ? content : joinTexts(parts.map(readText))
    const text = written === '' ? refusal || readTranscript(audio) : written
    return { ...rest, role: chooseRole(role, text, calls), text, calls, index }
  })
}

/** Whether there is anything to remember of a message. */
export function saysAnything({ text, calls }: SaidMessage): boolean {
  return text !== '' || calls.length > 0
}

/** Anthropic's API has the results of tools in messages of the user, who has not written them. */
function chooseRole(role: string, text: string, calls: MessageCalls): string {
  const isOfTools = text === '' && calls.length > 0 && calls.every(({ result }) => result !== undefined)
  return isOfTools && role === 'user' ? 'tool' : role
}

/** The member that has the text, for the kinds of parts that say one. */
const textMembers = new Map<unknown, string>([
  ['text', 'text'],
  ['input_text', 'text'],
  ['output_text', 'text'],
  ['refusal', 'refusal'],
])

function readText(part: unknown): string | undefined {
  if (!isJsonObject(part)) return undefined
  const member = textMembers.get(part['type'])
  return member === undefined ? undefined : findText(part, [member])
}

function readTranscript(audio: unknown): string {
  return (isJsonObject(audio) && findText(audio, ['transcript'])) || ''
}

/** A call and its result can stand in one message, as those of tools that the server of the model runs. */
function readCalls(parts: readonly unknown[], reading: Reading): MessageCalls {
  const { names } = reading
  const calls = new Map<string, Call>()
  const called = new Set<string>()
  for (const part of parts.filter(isJsonObject)) {
    const given = (findText(part, ids) ?? String(calls.size + 1)).slice(0, longestName)
    const call = isResult(part) ? readAnswer(part, names.get(given)) : readCall(part, reading)
    if (call === undefined) continue
    const id = isResult(part) ? given : chooseFree(given, called)
    if (!isResult(part)) {
      names.set(id, call.tool)
      called.add(id)
    }
    calls.set(id, {
      id,
      ...call,
      ...calls.get(id),
      ...(call.result === undefined ? {} : { result: call.result }),
    })
  }
  return [...calls.values()]
}

/** Some servers give several calls of a message one id. Each is a call all the same. */
function chooseFree(id: string, called: ReadonlySet<string>): string {
  let free = id
  for (let number = 2; called.has(free); number++) free = `${id.slice(0, longestName - 6)}-${number}`
  return free
}

function readCall(part: JsonObject, reading: Reading): Omit<Call, 'id'> | undefined {
  const tool = isCall(part) ? findName(part) : undefined
  if (tool === undefined) return undefined
  const args = readArguments(part, reading)
  return args === undefined ? { tool } : { tool, args }
}

function readAnswer(part: JsonObject, called: string | undefined): Omit<Call, 'id'> | undefined {
  const result = readResult(findResult(part))
  return result === undefined ? undefined : { tool: findName(part) ?? called ?? unknownTool, result }
}

function findResult(part: JsonObject): unknown {
  return part['content'] ?? part['output'] ?? part['result']
}

const ids = ['tool_use_id', 'tool_call_id', 'toolCallId', 'call_id', 'id']

function isResult({ type }: JsonObject): boolean {
  return typeof type === 'string' && /^(?:[a-z_]+_)?tool[_-]result$/.test(type)
}

function isCall({ type }: JsonObject): boolean {
  return typeof type === 'string' && /^(?:[a-z_]+_)?tool[_-](?:use|call)$|^function$|^custom$/.test(type)
}

/** Some servers with the API of OpenAI leave out the type. */
function completeCall(call: unknown): unknown {
  return isJsonObject(call) ? { type: 'function', ...call } : call
}

/** OpenAI's API has the name and the arguments of a call in a member that is named by its kind. */
function findOwn(part: JsonObject): JsonObject {
  const own = part['function'] ?? part['custom']
  return isJsonObject(own) ? own : part
}

function findName(part: JsonObject): string | undefined {
  return findText(findOwn(part), ['name', 'toolName'])?.slice(0, longestName)
}

/** OpenAI's API has the arguments as a text of JSON. It stays a text if a number would lose digits. */
function readArguments(part: JsonObject, { isInexact }: Reading): unknown {
  const own = findOwn(part)
  const args = own['arguments'] ?? own['input'] ?? own['args']
  if (typeof args !== 'string') return args ?? undefined
  if (isInexact(args)) return args
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}

/** The texts of a list of parts; any other value as it is. The AI SDK wraps a result once: what is wrapped in it again is its own. */
function readResult(value: unknown): unknown {
  const isWrapped = isJsonObject(value) && typeof value['type'] === 'string' && Object.hasOwn(value, 'value')
  const own = isWrapped ? value['value'] : value
  const isJson = isWrapped && jsonResult.test(String(value['type']))
  const isOfParts =
    !isJson && Array.isArray(own) && own.some((part) => isJsonObject(part) && Object.hasOwn(part, 'type'))
  const result = isOfParts ? joinTexts(own.map(readText)) : own
  return result === null || result === '' ? undefined : result
}

function findText(part: JsonObject, members: readonly string[]): string | undefined {
  return members.map((name) => part[name]).find((value) => typeof value === 'string' && value !== '') as
    | string
    | undefined
}

/** What is missing in a message. Without an error, a misspelt member would lose what was said. */
export function listPartFaults(messages: readonly NewMessage[]): Fault[] {
  return messages.flatMap((message, index) => {
    const { content, tool_calls, refusal, audio } = message
    const place = `/messages/${index}`
    if (content === undefined && !tool_calls && !refusal && !audio)
      return [{ pointer: `${place}/content`, message: 'is required' }]
    const parts = Array.isArray(content) ? content : []
    return [
      ...parts.flatMap((part, at) => describePart(part, `${place}/content/${at}`)),
      ...(tool_calls ?? []).flatMap((call, at) =>
        describePart(completeCall(call), `${place}/tool_calls/${at}`),
      ),
    ]
  })
}

function describePart(part: unknown, pointer: string): Fault[] {
  if (!isJsonObject(part) || typeof part['type'] !== 'string')
    return [{ pointer, message: 'must be an object with a `type`' }]
  const member = textMembers.get(part['type'])
  if (member !== undefined && typeof part[member] !== 'string')
    return [{ pointer: `${pointer}/${member}`, message: 'must be a string' }]
  if (isCall(part) && findName(part) === undefined)
    return [{ pointer, message: 'must have the `name` of the tool' }]
  return []
}

/** The same message without the parts that are left out, and with every other part at its place. */
export function removeLeftOut({ audio: _, ...message }: NewMessage): NewMessage {
  const { content } = message
  return Array.isArray(content) ? { ...message, content: content.map(keepSaid) } : message
}

function keepSaid(part: unknown): unknown {
  if (!isJsonObject(part)) return part
  const { type } = part
  if (textMembers.has(type) || isCall(part)) return part
  if (!isResult(part)) return { type }
  const texts = Object.entries(part).filter(([, value]) => typeof value === 'string')
  return { type, ...Object.fromEntries(texts), content: readResult(findResult(part)) }
}
