import type { Body } from '../requests/record-requests.ts'
import type { Received } from './send-raw-request.ts'

const innards = /node_modules|\.ts:\d+|PostgresError|at Object\.|at async |ECONNREFUSED|ERR_SQLITE/
/** A tool that only reads may note that a record was served, also in the row of the record, and which question was asked. */
const ofReading = /^(?:records|importance_history|access_log|access_folds|regrets|api_keys)$/
/** A record that was served often rises to the next layer. */
const ofRising = /^(?:promotions|scope_sizes)$/

export type McpAnswer = { received: Received; messages: readonly Body[] }

export function readAnswer(received: Received): McpAnswer {
  const isStream = (received.headers.get('content-type') ?? '').startsWith('text/event-stream')
  const lines = received.text.split('\n').filter((line) => line.startsWith('data:'))
  const texts = isStream ? lines.map((line) => line.slice('data:'.length)) : [received.text]
  return { received, messages: texts.filter(Boolean).map(parse) }
}

function parse(text: string): Body {
  try {
    return JSON.parse(text)
  } catch {
    return { unreadable: text.slice(0, 200) }
  }
}

/** Lists what is wrong with an answer of `/mcp`, whatever was asked. `written` are the tables that changed. */
export function findMcpFaults(
  answer: McpAnswer | undefined,
  { readsOnly, written }: { readsOnly: boolean; written: readonly string[] },
): string[] {
  if (!answer) return ['no answer']
  const { received, messages } = answer
  const [message = {}] = messages
  const isFailure = received.status >= 400 || message.error !== undefined || message.result?.isError === true
  const hasRisen = written.includes('promotions')
  const isOfReading = (table: string) => ofReading.test(table) || (hasRisen && ofRising.test(table))
  const changed = readsOnly ? written.filter((table) => !isOfReading(table)) : []
  return [
    ...findShapeFaults(answer),
    ...(isFailure && innards.test(received.text) ? ['innards shown'] : []),
    ...(isFailure && written.length > 0 ? [`refused, and yet written: ${written.join(', ')}`] : []),
    ...(changed.length > 0 ? [`only read, and yet written: ${changed.join(', ')}`] : []),
    ...(message.result?.isError === true ? findErrorFaults(message.result, received.headers) : []),
    ...findFenceFaults(message.result),
  ]
}

function findShapeFaults({ received: { status, headers, text }, messages }: McpAnswer): string[] {
  return [
    ...(status >= 500 && status !== 503 ? [`a defect, ${status}`] : []),
    ...(/"code\\*":\\*"internal_error/.test(text) ? ['a defect within'] : []),
    ...(headers.has('x-request-id') ? [] : ['no request id']),
    ...(headers.has('mcp-session-id') ? ['a session'] : []),
    ...(messages.length > 1 ? ['more than one message'] : []),
    ...messages.flatMap(({ unreadable }) => (unreadable === undefined ? [] : ['no JSON'])),
  ]
}

const members = ['code', 'what', 'why', 'what_to_do', 'request_id']

function findErrorFaults({ content, structuredContent }: Body, headers: Received['headers']): string[] {
  const error = parse(content?.[0]?.text ?? '')
  const isWhole = content?.length === 1 && structuredContent === undefined
  const isNamed = members.every((name) => typeof error[name] === 'string' && error[name] !== '')
  return [
    ...(isWhole && isNamed ? [] : ['an error that an agent cannot act on']),
    ...(error.request_id === headers.get('x-request-id') ? [] : ['another request id']),
  ]
}

/** The text of a context begins and ends with its fence, which comes once, and names exactly its items. */
function findFenceFaults(result: Body): string[] {
  const items = result?.structuredContent?.items
  const text = result?.content?.[0]?.text
  if (!Array.isArray(result?.structuredContent?.omitted) || items.length === 0) return []
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/u)
  const fence = lines.at(-1) ?? ''
  const inner = lines.slice(1, -1)
  const named = inner.flatMap((line: string) => [...line.matchAll(/\[m:([^\]]*)\]/g)].map(([, name]) => name))
  return [
    ...(/^`{3,}$/.test(fence) && lines[0]?.startsWith(fence) ? [] : ['no fence']),
    ...(inner.some((line: string) => line.trimStart().startsWith(fence)) ? ['a fence inside'] : []),
    ...(named.every((name: unknown) => items.some(({ ref }: Body) => ref === name))
      ? []
      : ['a forged reference']),
  ]
}
