import { joinTexts, type MessageCalls } from '../../domain/payloads/message-content.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json-objects.ts'

/** Reads the calls of tools, and what the tools returned, in the parts of messages. */

type Call = MessageCalls[number]

/** A result that is sent without its call has the name of no tool. */
const unknownTool = 'tool'
const longestName = 256
const jsonResult = /^(?:error-)?json$/

export type Reading = {
  /** The tools of the calls, by the ids of the calls. */
  names: Map<string, string>
  /** Whether a text of JSON has a number that would lose digits. */
  isInexact: (json: string) => boolean
}

/**
 * A call and its result can stand in one message, as those of tools that the server of the model runs. A call of the list can stand
 * in the parts again: LangChain has both.
 */
export function readCalls(
  listed: readonly unknown[],
  parts: readonly unknown[],
  reading: Reading,
): MessageCalls {
  const { names } = reading
  const calls = new Map<string, Call>()
  const chooseFree = createIdChoice()
  const isListed = createListCheck(listed)
  const read = (part: JsonObject, isAgain: boolean) => {
    const given = findId(part) ?? String(calls.size + 1)
    const call = isResult(part) ? readAnswer(part, names.get(given)) : readCall(part, reading)
    if (call === undefined) return
    const id = isResult(part) || isAgain ? given : chooseFree(given)
    if (!isResult(part) && !isAgain) names.set(id, call.tool)
    calls.set(id, {
      id,
      ...call,
      ...calls.get(id),
      ...(call.result === undefined ? {} : { result: call.result }),
    })
  }
  for (const call of listed.filter(isJsonObject)) read(call, false)
  for (const part of parts.filter(isJsonObject)) read(part, isListed(part))
  return [...calls.values()]
}

/** Whether a list has the call that a part has, with the same id and tool. */
function createListCheck(listed: readonly unknown[]): (part: JsonObject) => boolean {
  const identify = (part: JsonObject) => JSON.stringify([findId(part), findName(part)])
  const identified = new Set(listed.filter(isJsonObject).map(identify))
  return (part) => isCall(part) && findId(part) !== undefined && identified.has(identify(part))
}

/** Some servers give several calls of a message one id. Each is a call all the same. */
function createIdChoice(): (id: string) => string {
  const called = new Set<string>()
  const numbers = new Map<string, number>()
  return (id) => {
    const begin = id.slice(0, longestName - 6)
    let free = id
    for (let number = numbers.get(begin) ?? 2; called.has(free); number++) {
      free = `${begin}-${number}`
      numbers.set(begin, number + 1)
    }
    called.add(free)
    return free
  }
}

/** A tool that the server of the model runs, or the AI SDK for a page, has its result in the same part. */
function readCall(part: JsonObject, reading: Reading): Omit<Call, 'id'> | undefined {
  const tool = isCall(part) ? findName(part) : undefined
  if (tool === undefined) return undefined
  const args = readArguments(part, reading)
  const result = readOutput(part)
  return { tool, ...(args === undefined ? {} : { args }), ...(result === undefined ? {} : { result }) }
}

/** The result in the part of a call. On a page it is what the tool returned, which nothing wraps. */
export function readOutput(part: JsonObject): unknown {
  const given = part['output'] ?? part['errorText']
  return isShownTool(part) ? keepResult(given) : readResult(given)
}

function readAnswer(part: JsonObject, called: string | undefined): Omit<Call, 'id'> | undefined {
  const result = readResult(findResult(part))
  return result === undefined ? undefined : { tool: findName(part) ?? called ?? unknownTool, result }
}

export function findResult(part: JsonObject): unknown {
  return part['content'] ?? part['output'] ?? part['result']
}

const ids = ['tool_use_id', 'toolUseId', 'tool_call_id', 'toolCallId', 'call_id', 'callId', 'id']

function findId(part: JsonObject): string | undefined {
  return findText(part, ids)?.slice(0, longestName)
}

export function isResult({ type }: JsonObject): boolean {
  return (
    typeof type === 'string' &&
    /^(?:[a-z_]+_)?(?:tool[_-]result|(?:function|tool)_call_(?:output|result))$/.test(type)
  )
}

const callTypes = /^(?:[a-z_]+_)?tool[_-](?:use|call)$|^(?:function|mcp)_call$|^function$|^custom$/

export function isCall(part: JsonObject): boolean {
  const { type } = part
  return typeof type === 'string' && (callTypes.test(type) || isShownTool(part))
}

/** A part of a message that the AI SDK shows on a page: `tool-weather` for the tool `weather`, with its state. */
function isShownTool({ type, state }: JsonObject): boolean {
  return typeof type === 'string' && typeof state === 'string' && /^(?:tool-.|dynamic-tool$)/s.test(type)
}

/** OpenAI's API has the name and the arguments of a call in a member that is named by its kind. */
function findOwn(part: JsonObject): JsonObject {
  const own = part['function'] ?? part['custom']
  return isJsonObject(own) ? own : part
}

export function findName(part: JsonObject): string | undefined {
  const named = findText(findOwn(part), ['name', 'toolName', 'tool_name'])
  const [, shown] = (isShownTool(part) && /^tool-(.+)$/s.exec(String(part['type']))) || []
  return (named ?? shown)?.slice(0, longestName)
}

/** OpenAI's API has the arguments as a text of JSON. It stays a text if a number would lose digits. */
function readArguments(part: JsonObject, { isInexact }: Reading): unknown {
  const own = findOwn(part)
  const args = own['arguments'] ?? own['input'] ?? own['args'] ?? own['tool_kwargs']
  if (typeof args !== 'string') return args ?? undefined
  if (isInexact(args)) return args
  try {
    return JSON.parse(args)
  } catch {
    return args
  }
}

/** The texts of a list of parts; any other value as it is. The AI SDK wraps a result once: what is wrapped in it again is its own. */
export function readResult(value: unknown): unknown {
  const isWrapped = isJsonObject(value) && typeof value['type'] === 'string' && Object.hasOwn(value, 'value')
  const own = isWrapped ? value['value'] : value
  const isJson = isWrapped && jsonResult.test(String(value['type']))
  const isOfParts =
    !isJson && Array.isArray(own) && own.some((part) => isJsonObject(part) && Object.hasOwn(part, 'type'))
  if (isOfParts) return keepResult(joinTexts(own.map(readText)))
  return keepResult(isJson ? own : (readText(own) ?? own))
}

/** Nothing is returned as null or as an empty text. */
function keepResult(result: unknown): unknown {
  return result === null || result === '' ? undefined : result
}

/** The member that has the text, for the kinds of parts that say one. */
export const textMembers = new Map<unknown, string>([
  ['text', 'text'],
  ['input_text', 'text'],
  ['output_text', 'text'],
  ['refusal', 'refusal'],
])

export function readText(part: unknown): string | undefined {
  if (!isJsonObject(part)) return undefined
  const member = textMembers.get(part['type'])
  return member === undefined ? undefined : findText(part, [member])
}

export function findText(part: JsonObject, members: readonly string[]): string | undefined {
  for (const name of members) {
    const value = part[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}
