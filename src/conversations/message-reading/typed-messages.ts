import { isJsonObject, type JsonObject } from '../../kernel/json-objects.ts'
import { type ModelMessage, NewMessage, type TypedMessage } from '../new-messages.schemas.ts'
import { isCall, isResult } from './message-calls.ts'

/**
 * Reads messages that say by a `type` or a `kind` what they are, such as items of OpenAI's Responses API and messages of LangChain,
 * and messages that libraries store with their parts at another place.
 */

/** The names that LangChain has for the writers of messages, in its two forms of JSON. */
const roles = new Map<unknown, string>([
  ['human', 'user'],
  ['HumanMessage', 'user'],
  ['HumanMessageChunk', 'user'],
  ['ai', 'assistant'],
  ['AIMessage', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['system', 'system'],
  ['SystemMessage', 'system'],
  ['tool', 'tool'],
  ['ToolMessage', 'tool'],
  ['function', 'function'],
  ['FunctionMessage', 'function'],
])

const members = Object.keys(NewMessage.properties)

/** The message without the members that only tell the state of a library. Any other message is left as it is. */
export function readTyped(given: NewMessage | TypedMessage | ModelMessage): NewMessage {
  if ('kind' in given) return { role: given.kind === 'request' ? 'user' : 'assistant', parts: given.parts }
  return readInvocations(readFurther(readFormat('type' in given ? readType(given) : given)))
}

/** Mastra has a message of the AI SDK in the content. */
function readFormat(message: NewMessage): NewMessage {
  const stored: unknown = message.content
  if (!isJsonObject(stored) || !Array.isArray(stored['parts'])) return message
  const { content, parts, toolInvocations } = stored
  return selectMembers({ ...message, content, parts, toolInvocations })
}

/** The AI SDK had calls beside the text before it had parts. Later it wrote them in both places. */
function readInvocations(message: NewMessage): NewMessage {
  const { toolInvocations: calls, ...own } = message
  if (!Array.isArray(calls)) return message
  const { content, parts: given } = own
  const hasParts = Array.isArray(given) ? given.length > 0 : given != null
  if (hasParts) return own
  const said = Array.isArray(content) ? content : [{ type: 'text', text: content ?? '' }]
  return { ...own, parts: [...said, ...calls.map(createInvocation)] }
}

function createInvocation(toolInvocation: unknown) {
  return { type: 'tool-invocation', toolInvocation }
}

/** LlamaIndex, and LangChain too, keep what else the API of the model has in `additional_kwargs`. */
function readFurther(message: NewMessage): NewMessage {
  const { additional_kwargs: further, ...own } = message
  if (!isJsonObject(further)) return message
  const { tool_calls: calls, tool_call_id: id, audio } = further
  return {
    ...own,
    ...(own.tool_calls == null && Array.isArray(calls) ? { tool_calls: calls } : {}),
    ...(own.tool_call_id == null && typeof id === 'string' && id !== '' ? { tool_call_id: id } : {}),
    ...(own.audio == null ? { audio } : {}),
  }
}

function readType(given: TypedMessage): NewMessage {
  const { type, said } = unpack({ ...given })
  const role = said['role'] ?? roles.get(type)
  const isItem = role === undefined && type !== 'message'
  return selectMembers(isItem ? readItem(said) : { ...said, role })
}

/** LangChain writes `{type: "human", data: {…}}` too, and `{type: "constructor", id: […, "HumanMessage"], kwargs: {…}}`. */
function unpack(given: JsonObject): { type: unknown; said: JsonObject } {
  const { type, data, kwargs, id } = given
  if (type === 'constructor' && isJsonObject(kwargs) && Array.isArray(id))
    return { type: id.at(-1), said: kwargs }
  return { type, said: roles.has(type) && isJsonObject(data) ? data : given }
}

/** An item without a role is a part that stands alone: a call, a result, or what is left out, such as thoughts. */
function readItem(item: JsonObject): JsonObject {
  const { id } = item
  const isOfTool = isResult(item)
  return { id, role: isOfTool ? 'tool' : 'assistant', content: isOfTool || isCall(item) ? [item] : [] }
}

/** Only a content may be null. */
function selectMembers(said: JsonObject): NewMessage {
  const kept = members.filter((name) => said[name] != null || (name === 'content' && said[name] === null))
  // The message is checked afterwards, as one without a type.
  return Object.fromEntries(kept.map((name) => [name, said[name]])) as NewMessage
}
