import Type, { type TSchema } from 'typebox'
import { listFaults } from '../http/validation/validation.ts'
import { type AppError, describeFaults, type Fault } from '../kernel/errors.ts'
import { isJsonObject } from '../kernel/json-objects.ts'

/** Checks a message before the protocol reads it. */

type Refusal = { status: number; body: object }

const argumentsPlace = '/params/arguments'
const invalidRequest = -32_600
const unknownMethod = -32_601
const invalidParams = -32_602

/** Without them the package answers an internal error with a dump of its validator. */
const paramsOf: Readonly<Record<string, TSchema>> = {
  initialize: Type.Object({
    protocolVersion: Type.String(),
    capabilities: Type.Object({}),
    clientInfo: Type.Object({ name: Type.String(), version: Type.String() }),
  }),
  'tools/call': Type.Object({ name: Type.String(), arguments: Type.Optional(Type.Object({})) }),
  'resources/read': Type.Object({ uri: Type.String() }),
}

/**
 * The answer to a message that is not passed on, or undefined. The package would serve batches, which would evade the rate
 * limit, and streams without an end.
 */
export function refuseMessage(body: unknown, unstorable: AppError | undefined): Refusal | undefined {
  if (Array.isArray(body)) return refuse(null, 400, invalidRequest, 'Send one message in a request.')
  const { id = null, method, params } = (body ?? {}) as { id?: unknown; method?: unknown; params?: unknown }
  if (unstorable && !listArgumentFaults(unstorable)) {
    const { message, errors = [] } = unstorable
    const isIdBroken = errors.some(({ pointer }) => pointer === '/id')
    return refuse(isIdBroken ? null : id, 400, invalidParams, `${message} ${describePlaces(errors)}`)
  }
  if (hasManyValues(body)) return refuse(id, 400, invalidRequest, tooManyValues)
  if (method === 'subscriptions/listen') return refuse(id, 404, unknownMethod, 'Method not found')
  const schema = typeof method === 'string' && Object.hasOwn(paramsOf, method) ? paramsOf[method] : undefined
  const faults = schema && id !== null ? listFaults(schema, params ?? {}) : []
  if (faults.length === 0) return undefined
  return refuse(id, 400, invalidParams, `The params do not match the schema. ${describePlaces(faults)}`)
}

/**
 * The package takes about 30 microseconds for each field that it reads, on the thread that serves all clients. It does not
 * read the arguments, which the schema of their tool checks.
 */
const maxValues = 1_000
const tooManyValues = `Besides the arguments of its tool, a message may have at most ${maxValues} fields and items.`

/** Stops early, and copies nothing: a message may have hundreds of thousands of fields. */
function hasManyValues(body: unknown): boolean {
  const params = isJsonObject(body) ? body['params'] : undefined
  const waiting = [body]
  for (let read = 0; read < waiting.length; read++) {
    const value = waiting[read]
    if (typeof value !== 'object' || value === null) continue
    for (const name in value) {
      if (value === params && name === 'arguments') continue
      if (waiting.length > maxValues) return true
      waiting.push(Reflect.get(value, name))
    }
  }
  return false
}

/** What the client sent as the arguments of a tool. */
export function readArguments(body: unknown): unknown {
  return (body as { params?: { arguments?: unknown } }).params?.arguments ?? {}
}

/** The faults if all are in the arguments of a tool, which then answers for them; their places are within the arguments. */
export function listArgumentFaults({ errors = [] }: AppError): readonly Fault[] | undefined {
  const isInside = errors.every(({ pointer }) => `${pointer}/`.startsWith(`${argumentsPlace}/`))
  if (!isInside || errors.length === 0) return undefined
  return errors.map(({ pointer, message }) => ({ pointer: pointer.slice(argumentsPlace.length), message }))
}

/** The message for the package, which need not read the arguments. */
export function removeArguments(body: unknown): unknown {
  if (!isJsonObject(body) || !isJsonObject(body['params'])) return body
  const { params } = body
  return Object.hasOwn(params, 'arguments') ? { ...body, params: { ...params, arguments: {} } } : body
}

function describePlaces(faults: readonly Fault[]): string {
  return `${describeFaults(faults).join('; ')}.`
}

/** An id that is neither a text nor a number is not repeated: a list in thousands of others could not be written. */
function refuse(id: unknown, status: number, code: number, message: string): Refusal {
  const isId = typeof id === 'string' || typeof id === 'number'
  return { status, body: { jsonrpc: '2.0', id: isId ? id : null, error: { code, message } } }
}
