import type { Operation, Parameter } from '../http/openapi-operations.ts'
import { buildBrokenRequest } from './broken-requests.ts'
import { generateValue, type ValueSource } from './generate-value.ts'
import { buildExampleBody, buildHostileBody } from './hostile-bodies.ts'
import { addHostileHeaders } from './hostile-headers.ts'
import type { HostileRequest } from './hostile-request.ts'
import { hostileText, hostileValue, marker, renderJson } from './hostile-values.ts'

export type FuzzTargets = ValueSource & {
  /** Picks one of the ids listed at this path. */
  idOf(collection: string): string
  cursor(): string
  key(): string
}

const strangeSegments = [
  '%00',
  '%ff',
  '%',
  '%zz',
  '..',
  '%2e%2e%2f',
  '%2f',
  '.',
  ';a=b',
  '%ed%a0%80',
  'a'.repeat(2_000),
  '~',
  '*',
]
const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'QUERY']
const strangeQueries = [
  '__proto__=1',
  'a[b]=1',
  '%=1',
  '%ff=%ff',
  '=',
  '&&',
  'limit[]=5',
  'limit=5&limit=6',
  'x=%00',
  'constructor=1',
  '?',
]

/** Builds a request: first as the document describes it, then with more and more that it does not describe. */
export function composeRequest(operation: Operation, ground: FuzzTargets): HostileRequest {
  const { random } = ground
  if (random.chance(0.04)) return buildBrokenRequest(operation, ground)
  const plain = random.chance(0.08)
  const target = `${pathOf(operation, ground, plain)}${queryOf(operation, ground, plain)}`
  const fitting = { random, id: () => fittingId(operation, ground), line: ground.line }
  const body = plain
    ? plainBody(operation, fitting)
    : wantsBody(operation, ground) && buildHostileBody(operation, fitting)
  const mediaType = operation.body?.mediaType ?? 'application/json'
  const headers = [
    ['Authorization', `Bearer ${ground.key()}`],
    ...(body ? [['Content-Type', mediaType]] : []),
    ...(body && body.encoding !== undefined ? [['Content-Encoding', body.encoding]] : []),
  ] as [string, string][]
  return {
    operation: operation.name,
    method: !plain && random.chance(0.03) ? random.pick(methods) : operation.method,
    target,
    headers: plain ? headers : addHostileHeaders(headers, ground),
    ...(body ? { body: body.bytes } : {}),
    chunked: random.chance(0.1),
  }
}

function wantsBody({ body }: Operation, { random }: FuzzTargets): boolean {
  return body !== undefined || random.chance(0.1)
}

/** In a body, most ids belong to the kind of record that the operation needs. */
function fittingId({ path }: Operation, ground: FuzzTargets): string {
  return ground.random.chance(0.8) ? ground.idOf(path.split('/').slice(0, 3).join('/')) : ground.id()
}

function plainBody(operation: Operation, drawing: ValueSource) {
  if (!operation.body) return undefined
  const example = buildExampleBody(operation, drawing)
  return {
    bytes: Buffer.from(typeof example === 'string' ? example : renderJson(example)),
    encoding: undefined,
  }
}

function pathOf({ path, parameters }: Operation, ground: FuzzTargets, plain: boolean): string {
  const { random } = ground
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string, offset: number) => {
    if (!plain && random.chance(0.06)) return random.pick(strangeSegments)
    const schema = parameters.find((each) => each.in === 'path' && each.name === name)?.schema ?? {}
    if (!plain && random.chance(0.06)) return encode(hostileText(random))
    if (schema.format === 'uuid') return ground.idOf(path.slice(0, offset - 1))
    return encode(String(generateValue(schema, ground)))
  })
}

function queryOf({ parameters }: Operation, ground: FuzzTargets, plain: boolean): string {
  const { random } = ground
  const share = plain ? 0 : random.pick([0.1, 0.4])
  const chosen = parameters.filter((each) => each.in === 'query' && (each.required || random.chance(share)))
  const pairs = chosen.flatMap((parameter) =>
    valuesOf(parameter, ground, plain).map((value) => `${parameter.name}=${encode(value)}`),
  )
  if (!plain && random.chance(0.08)) pairs.push(random.pick(strangeQueries))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function valuesOf({ name, schema }: Parameter, ground: FuzzTargets, plain: boolean): string[] {
  const { random } = ground
  if (plain) return [schema.enum ? String(schema.enum[0]) : marker]
  if (name === 'cursor' && random.chance(0.8)) return [ground.cursor()]
  if (random.chance(0.25)) return [hostileText(random).slice(0, 3_000)]
  if (random.chance(0.1)) return [String(hostileValue(random)).slice(0, 3_000)]
  const value = generateValue(schema, ground)
  return (Array.isArray(value) ? value.slice(0, 200) : [value]).map((each) => String(each).slice(0, 1_000))
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
