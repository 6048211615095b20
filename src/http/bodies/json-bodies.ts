import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError, type Fault } from '../../kernel/errors.ts'
import { findUnstorableValues } from '../validation/body-inspection.ts'
import { readKeywords } from '../validation/schema-keywords.ts'
import { createTooManyValuesError, maxValues } from '../validation/value-count.ts'
import { createBodyReader } from './body-reading.ts'
import { scanJson } from './body-scan.ts'
import { quoteLargeNumbers } from './large-numbers.ts'

export const bodyLimit = 10 * 1024 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A missing body counts as `{}`, because every field of the schema is optional. */
    bodyOptional?: boolean
    /** The handler itself answers for values that cannot be stored; `bodyFault` says which. */
    keepsBodyFault?: boolean
  }
  interface FastifyRequest {
    bodyFault: AppError | undefined
  }
}

/** Twelve of the largest bodies. */
const maxHeldBytes = 128 * 1024 * 1024

/** Replaces Fastify's parser, which accepts NUL, lone surrogates and Infinity; PostgreSQL then refuses them. */
export function readJsonBodies(app: FastifyInstance): void {
  const read = createBodyReader(app, { maxBytes: bodyLimit, maxHeldBytes })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    async (request: FastifyRequest, body: IncomingMessage) => parseBody(request, await read(request, body)),
  )
  app.decorateRequest('bodyFault')
  app.addHook('preValidation', async (request) => requireBody(request))
}

/** Undefined for an empty body: some client libraries send Content-Type without a body. */
function parseBody(request: FastifyRequest, body: Buffer): unknown {
  rejectEncoding(request.headers['content-encoding'])
  if (body.length === 0) return undefined
  const { value, fault } = inspectJson(body, maxValues)
  if (fault && !request.routeOptions.config.keepsBodyFault) throw fault
  request.bodyFault = fault
  return value
}

export function rejectEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return
  throw new AppError('unsupported_media_type', 'A body must come without Content-Encoding.')
}

/** Parses JSON and refuses what PostgreSQL cannot store. */
export function readJson(body: Buffer, most = maxValues): unknown {
  const { value, fault } = inspectJson(body, most)
  if (fault) throw fault
  return value
}

/**
 * Parses JSON of which only parts are stored. A number that is too large is read as a text. Texts are not checked: do that
 * with those that are stored.
 */
export function readPartlyStoredJson(body: Buffer, most: number): unknown {
  const { numbers } = countValues(body, most)
  const value = parseJson(numbers.length > 0 ? quoteLargeNumbers(body) : body)
  const unstorable = findUnstorableValues(value, 'unchecked')
  if (unstorable.length > 0) throw createUnstorableError(unstorable)
  return value
}

/** Refuses JSON that is larger than a body may be. A field or an item takes two bytes or more. */
export function requireBodySize(json: Buffer): void {
  if (json.length > bodyLimit)
    throw new AppError('body_too_large', `A line without a history may have at most ${bodyLimit} bytes.`)
  if (json.length > 2 * maxValues && scanJson(json, maxValues).values > maxValues)
    throw createTooManyValuesError(maxValues)
}

/** The value of the body, and the places in it that PostgreSQL cannot store. */
function inspectJson(body: Buffer, most: number): { value: unknown; fault?: AppError } {
  const { numbers } = countValues(body, most)
  const value = parseJson(body)
  const unstorable = findUnstorableValues(value)
  if (numbers.length > 0) {
    const message = 'A number is too large to be stored exactly; send it as a string.'
    const errors = [...new Map([...unstorable, ...numbers].map((each) => [each.pointer, each])).values()]
    return { value, fault: new AppError('number_too_large', message, { errors }) }
  }
  return unstorable.length === 0 ? { value } : { value, fault: createUnstorableError(unstorable) }
}

function countValues(body: Buffer, most: number) {
  const scanned = scanJson(body, most)
  if (scanned.values > most) throw createTooManyValuesError(most)
  return scanned
}

function createUnstorableError(errors: readonly Fault[]): AppError {
  return new AppError('validation_failed', 'The body contains values that cannot be stored.', { errors })
}

function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new AppError('malformed_json', 'The body is not valid UTF-8.')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    // The message of the parser may quote the body, so only the place is shown, if there is one.
    const [, position] = / JSON at position (\d+) \(line \d+ column \d+\)$/.exec(String(error)) ?? []
    const place = position === undefined ? '' : ` at character ${Number(position) + 1}`
    throw new AppError('malformed_json', `The body is not valid JSON${place}.`)
  }
}

/** Fastify validates a missing body as `null`, and the error would say that the type is wrong. */
function requireBody(request: FastifyRequest): void {
  const { schema, config } = request.routeOptions
  if (schema?.body === undefined) rejectUnexpectedBody(request, listParameters(schema))
  if (schema?.body === undefined || request.body !== undefined) return
  if (!config.bodyOptional) throw new AppError('malformed_json', 'This operation needs a JSON body.')
  request.body = {}
}

function listParameters(schema: FastifySchema | undefined): string[] {
  return Object.keys(readKeywords((schema?.querystring ?? {}) as TSchema).properties ?? {})
}

/** A route without a body schema refuses fields: a client that sends one expects an effect. `{}` is accepted. */
function rejectUnexpectedBody({ body }: FastifyRequest, parameters: readonly string[]): void {
  if (typeof body !== 'object' || body === null || !isPlain(body) || Object.keys(body).length === 0) return
  const errors = Object.keys(body)
    .slice(0, 100)
    .map((name) => ({
      pointer: `/${name.slice(0, 200)}`,
      message: parameters.includes(name) ? 'belongs in the query string' : 'unknown field',
    }))
  throw new AppError('validation_failed', 'This operation takes no body.', { errors })
}

/** The parser of the import route passes on a stream, which is not a plain object. */
function isPlain(body: object): boolean {
  return Object.getPrototypeOf(body) === Object.prototype
}
