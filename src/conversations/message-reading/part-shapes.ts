import { joinTexts } from '../../domain/payloads/message-content.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json-objects.ts'

/** Reads the parts of libraries that do not say by a `type` what they are, as the parts of OpenAI, Anthropic and the AI SDK. */

type Shape = (value: JsonObject, part: JsonObject) => JsonObject

export function readKind(part: unknown): unknown {
  if (!isJsonObject(part)) return part
  const { type, block_type: block, part_kind: kind, toolInvocation } = part
  if (typeof block === 'string') return { ...part, type: block }
  if (typeof kind === 'string') return readPartKind(kind, part)
  if (typeof type === 'string')
    return type === 'tool-invocation' && isJsonObject(toolInvocation) ? readInvocation(toolInvocation) : part
  return readNamed(part)
}

/** A call and its result of version 4 of the AI SDK, as version 5 has them. */
function readInvocation({ args, result, ...call }: JsonObject): JsonObject {
  return { state: 'call', ...call, type: 'dynamic-tool', input: args, output: result }
}

/** Gemini and Bedrock name a part by the member that holds it. Python writes members that are not set as null. */
function readNamed(part: JsonObject): JsonObject {
  const { text, thought } = part
  if (text != null) return { type: thought === true ? 'thought' : 'text', text }
  const [name, value] = Object.entries(part).find(([, each]) => isJsonObject(each)) ?? []
  if (name === undefined || !isJsonObject(value)) return part
  return shapes.get(name)?.(value, part) ?? { type: name }
}

const readCall: Shape = (call) => ({ ...call, type: 'tool_use' })

/** The libraries of Gemini wrap what is no object. */
const readResponse: Shape = ({ id, name, response }) => {
  const [[key, value] = [], ...others] = isJsonObject(response) ? Object.entries(response) : []
  const isWrapped = others.length === 0 && (key === 'result' || key === 'output')
  return { ...createResult(isWrapped ? value : response), id, name }
}

const readToolResult: Shape = ({ toolUseId, content }) => {
  const values = (Array.isArray(content) ? content : [content])
    .filter(isJsonObject)
    .map(({ text, json }) => text ?? json)
    .filter((value) => value !== undefined)
  return { ...createResult(joinValues(values)), toolUseId }
}

function joinValues(values: readonly unknown[]): unknown {
  if (values.every((value) => typeof value === 'string')) return joinTexts(values)
  return values.length === 1 ? values[0] : values
}

const shapes = new Map<string, Shape>([
  ['functionCall', readCall],
  ['function_call', readCall],
  ['functionResponse', readResponse],
  ['function_response', readResponse],
  ['toolUse', readCall],
  ['toolResult', readToolResult],
])

/** The value as it is: `readResult` takes off this one wrapping. */
function createResult(value: unknown): JsonObject {
  return { type: 'tool_result', content: { type: 'json', value } }
}

/** Pydantic AI. The prompt of the agent, and what asks the model to answer again, are left out as thoughts are. */
function readPartKind(kind: string, part: JsonObject): JsonObject {
  const { content, tool_name: name, tool_call_id: id } = part
  if (kind === 'text' || kind === 'user-prompt') return { type: 'text', text: readPrompt(content) }
  if (kind.endsWith('tool-call')) return { ...part, type: 'tool_use' }
  const isOfTool = kind.endsWith('tool-return') || (kind === 'retry-prompt' && typeof name === 'string')
  return isOfTool ? { ...createResult(removeFiles(content)), name, id } : { type: kind }
}

function readPrompt(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return joinTexts(content.map((each) => (isJsonObject(each) ? each['content'] : each)))
}

const files: ReadonlySet<unknown> = new Set([
  'audio-url',
  'binary',
  'document-url',
  'image-url',
  'uploaded-file',
  'video-url',
])

function removeFiles(content: unknown): unknown {
  const isKept = (value: unknown) => !isJsonObject(value) || !files.has(value['kind'])
  if (Array.isArray(content)) return content.filter(isKept)
  return isKept(content) ? content : null
}
