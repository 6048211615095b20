import { describeTool, type Tool } from '../../../src/mcp/tools/tool.ts'
import type { Schema } from '../http/openapi-operations.ts'
import { payloads } from '../requests/record-requests.ts'
import { generateValue, type ValueSource } from './generate-value.ts'
import type { HostileRequest } from './hostile-request.ts'
import { hostileText, hostileValue, marker, renderJson } from './hostile-values.ts'
import { mutate } from './mutate-value.ts'
import type { Random } from './random.ts'

const eras = ['2026-07-28', '2025-11-25'] as const
type Era = (typeof eras)[number]

type Message = { jsonrpc: '2.0'; id: number; method: string; params: Record<string, unknown> }

/** A message as clients of this revision send it. */
function buildMessage(method: string, params: object, era: Era, client: unknown = 'fuzz'): Message {
  const named = {
    'io.modelcontextprotocol/protocolVersion': era,
    'io.modelcontextprotocol/clientInfo': { name: client, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const meta = era === eras[0] ? { _meta: named } : {}
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, ...meta } }
}

function buildHeaders(key: string, { method, params }: Message, era: Era): [string, string][] {
  const name = params['name'] ?? params['uri']
  return [
    ['Authorization', `Bearer ${key}`],
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
    ['MCP-Protocol-Version', era],
    ...(era === eras[0] ? [['Mcp-Method', asHeader(method)] as [string, string]] : []),
    ...(era === eras[0] && name !== undefined ? [['Mcp-Name', asHeader(name)] as [string, string]] : []),
  ]
}

function asHeader(value: unknown): string {
  const text = String(value)
  return /^[\x21-\x7e]{1,200}$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64').slice(0, 4_000)}?=`
}

type Ground = ValueSource & { key(): string }

/** Calls a tool with arguments that fit its schema, or nearly, or not at all. */
export function composeToolCall(tool: Tool, ground: Ground): HostileRequest {
  const { random } = ground
  const era = random.pick(eras)
  const args = composeArguments(tool, ground)
  const client = random.chance(0.2) ? hostileValue(random) : 'fuzz'
  const message = buildMessage('tools/call', { name: tool.name, arguments: args }, era, client)
  return { ...request(tool.name, message, ground, era), body: Buffer.from(renderJson(message)) }
}

function composeArguments(tool: Tool, ground: Ground): unknown {
  const { random } = ground
  const schema = describeTool(tool).inputSchema as Schema
  const fitting = generateValue(schema, ground) as object
  const dice = random.below(100)
  if (dice < 50) return soften(fitting, random)
  return dice < 95 ? mutate(soften(fitting, random), random) : hostileValue(random)
}

/** Most scopes are ones that some key has, and a text comes alone, otherwise few calls would get far. */
function soften(args: object, random: Random): object {
  const scope = 'scope' in args && random.chance(0.7) ? { scope: random.pick(['mine', 'theirs']) } : {}
  if (!('record' in args) || random.chance(0.1)) return { ...args, ...scope }
  const { record: _, text = hostileText(random), ...more } = args as { record: unknown; text?: string }
  if (random.chance(0.6)) return { ...more, text, ...scope }
  const payload = random.pick(Object.values(payloads))
  return { record: { type: payload.kind, payload: mutate(payload, random) }, ...scope }
}

/** Messages that are no message of the protocol, and some that are nearly one. */
export function composeBrokenMessage(tools: readonly Tool[], ground: Ground): HostileRequest {
  const { random } = ground
  const era = random.pick(eras)
  const call = buildMessage(
    'tools/call',
    { name: random.pick(tools).name, arguments: { query: marker } },
    era,
  )
  const bytes = Buffer.from(random.pick(waysToBreak)(call, random))
  const plain = request('broken', call, ground, era)
  const headers = plain.headers.filter(() => !random.chance(0.1))
  const more = random.chance(0.4) ? [random.pick(oddHeaders)] : []
  return { ...plain, headers: [...headers, ...more], body: bytes, chunked: random.chance(0.1) }
}

function request(operation: string, message: Message, ground: Ground, era: Era): HostileRequest {
  const { random } = ground
  const query = random.chance(0.9) ? '?profile=lifecycle,openai' : random.pick(oddQueries)
  return {
    operation: `mcp ${operation}`,
    method: 'POST',
    target: `/mcp${query}`,
    headers: buildHeaders(ground.key(), message, era),
  }
}

const oddQueries = [
  '',
  '?profile=',
  '?profile=core,core',
  '?profile=admin',
  '?a=1',
  '?profile=%00',
  '?profile[]=core',
]

const oddHeaders: readonly [string, string][] = [
  ['Accept', 'text/html'],
  ['Accept', 'application/json'],
  ['Content-Type', 'text/plain'],
  ['Content-Encoding', 'gzip'],
  ['MCP-Protocol-Version', '1999-01-01'],
  ['MCP-Protocol-Version', '__proto__'],
  ['Mcp-Session-Id', "'; drop table records; --"],
  ['Mcp-Method', 'tools/list'],
  ['Mcp-Name', '=?base64?////?='],
  ['Last-Event-ID', '1'],
  ['Origin', 'https://elsewhere.example'],
  ['Idempotency-Key', 'one key for all'],
  ['Idempotency-Key', 'a'.repeat(5_000)],
]

type Break = (call: object, random: Random) => string

const methods = ['initialize', 'server/discover', 'ping', 'tools/list', 'resources/list', 'resources/read']
const others = [
  'prompts/list',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
  'tasks/get',
  'nothing',
]

const waysToBreak: readonly Break[] = [
  (call) => JSON.stringify([call, call]),
  () => '[]',
  () => 'null',
  () => '{',
  () => '\u0000',
  (call) => `${JSON.stringify(call)}${JSON.stringify(call)}`,
  (call, random) => renderJson({ ...call, id: hostileValue(random) }),
  (call, random) => renderJson({ ...call, method: hostileValue(random) }),
  (call, random) => renderJson({ ...call, params: hostileValue(random) }),
  (call, random) => renderJson({ ...call, jsonrpc: hostileValue(random) }),
  (call, random) => renderJson(mutate(call, random)),
  (call) => JSON.stringify({ ...call, id: undefined }),
  (call) => JSON.stringify({ ...call, params: undefined }),
  (_, random) => renderJson({ jsonrpc: '2.0', id: 1, result: hostileValue(random) }),
  (_, random) => renderJson({ jsonrpc: '2.0', id: 1, error: hostileValue(random) }),
  (_, random) => JSON.stringify(buildMessage(random.pick([...methods, ...others]), {}, random.pick(eras))),
  (_, random) =>
    renderJson(
      buildMessage(
        random.pick(methods),
        { uri: hostileText(random), cursor: hostileValue(random) },
        random.pick(eras),
      ),
    ),
  (_, random) =>
    JSON.stringify({
      jsonrpc: '2.0',
      method: `notifications/${random.pick(['initialized', 'cancelled', 'x'])}`,
      params: { requestId: 1 },
    }),
  (call) => `{"__proto__":{"isError":true},${JSON.stringify(call).slice(1)}`,
  (call, random) => JSON.stringify(call).replace(marker, '𝕬'.repeat(random.pick([10_001, 2_000_000]))),
  (call) => JSON.stringify({ ...call, padding: 'a'.repeat(11_000_000) }),
  () =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
]
