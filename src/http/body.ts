import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { findUnstorableValues } from './validation/body-inspection.ts'
import { scanJson } from './validation/body-scan.ts'

export const bodyLimit = 10 * 1024 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A missing body counts as `{}`: every field of the schema is optional. */
    bodyOptional?: boolean
  }
}

/** Replaces Fastify's parser, which lets NUL, lone surrogates and Infinity through to the database. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer', bodyLimit },
    async (request: FastifyRequest, body: Buffer) => parseBody(body, request.headers['content-encoding']),
  )
  app.addHook('preValidation', async (request) => requireBody(request))
}

/** Undefined when there was nothing in it: a client library may send the header alone. */
function parseBody(body: Buffer, encoding: string | undefined): unknown {
  rejectEncoding(encoding)
  return body.length === 0 ? undefined : readJson(body)
}

export function rejectEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return
  throw new AppError('unsupported_media_type', 'A body must come without Content-Encoding.')
}

/**
 * Fields and items of one body. A call of 10 MiB may hold millions of them, and each is validated, compared and stored on
 * the one thread that serves everybody. A batch of 1,000 records has room for 250 each.
 */
const maxValues = 250_000

/** JSON that can be stored, whatever it says. */
export function readJson(body: Buffer, most = maxValues): unknown {
  const { values, numbers } = scanJson(body, most)
  if (values > most) throw tooManyValues(most)
  const value = parseJson(body)
  if (numbers.length > 0) {
    throw new AppError(
      'number_too_large',
      'A number is too large to be kept as it is; send it as a string.',
      {
        errors: numbers,
      },
    )
  }
  const errors = findUnstorableValues(value)
  if (errors.length === 0) return value
  throw new AppError('validation_failed', 'The body holds what cannot be stored.', { errors })
}

function tooManyValues(most: number): AppError {
  const errors = [{ pointer: '', message: `must have at most ${most} fields and items` }]
  return new AppError('validation_failed', 'The body has too many fields.', { errors })
}

function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new AppError('malformed_json', 'The body is not valid UTF-8.')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    // The parser's own message quotes the body.
    throw new AppError('malformed_json', 'The body is not valid JSON.')
  }
}

/** Fastify validates a missing body as `null`, which would read as a fault of type. */
function requireBody(request: FastifyRequest): void {
  const { schema, config } = request.routeOptions
  if (schema?.body === undefined) rejectUnexpectedBody(request)
  if (schema?.body === undefined || request.body !== undefined) return
  if (!config.bodyOptional) throw new AppError('malformed_json', 'This call needs a JSON body.')
  request.body = {}
}

/** A field that is ignored is a wish that is silently not granted; an empty object wishes nothing. */
function rejectUnexpectedBody({ body }: FastifyRequest): void {
  if (typeof body !== 'object' || body === null || !isPlain(body) || Object.keys(body).length === 0) return
  const errors = Object.keys(body)
    .slice(0, 100)
    .map((name) => ({ pointer: `/${name.slice(0, 200)}`, message: 'unknown field' }))
  throw new AppError('validation_failed', 'This call takes no body.', { errors })
}

/** Another parser, such as the import's, may hand on a stream. */
function isPlain(body: object): boolean {
  return Object.getPrototypeOf(body) === Object.prototype
}
