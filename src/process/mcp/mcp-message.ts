/** Messages of MCP between a line of standard input and a request. */

export type Message = { id?: string | number; method?: string; params?: Record<string, unknown> }

const versionKey = 'io.modelcontextprotocol/protocolVersion'
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
}

/**
 * The headers that a request repeats from its message. `negotiated` is the revision that a client of 2025 agreed on with
 * its first message; a later revision is named in each message.
 */
export function describeMessage({ method, params }: Message, negotiated: string | undefined) {
  const meta = params?.['_meta'] as Record<string, unknown> | undefined
  const version = meta?.[versionKey]
  if (typeof version !== 'string' || method === undefined)
    return negotiated === undefined ? {} : { 'mcp-protocol-version': negotiated }
  const name = params?.[named[method] ?? '']
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': encodeHeader(name) } : {}),
  }
}

/** A header cannot carry every text, so the revision of 2026 has a form for the others. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?')
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`
}

/** The messages in an answer: one document, or the events of a stream. */
export function readMessages(mediaType: string, text: string): unknown[] {
  if (!mediaType.startsWith('text/event-stream')) return text === '' ? [] : [JSON.parse(text)]
  const events = text.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return events
    .map((line) => line.slice('data:'.length).trim())
    .filter(Boolean)
    .map((data) => JSON.parse(data))
}

export function failMessage(id: Message['id'] | null, code: number, message: string, data?: unknown) {
  return { jsonrpc: '2.0', id: id ?? null, error: { code, message, ...(data === undefined ? {} : { data }) } }
}
