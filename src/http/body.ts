import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { findUnstorableValues } from './validation/body-inspection.ts'
import { scanJson } from './validation/body-scan.ts'

export const bodyLimit = 10 * 1024 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A missing body counts as `{}`, because every field of the schema is optional. */
    bodyOptional?: boolean
  }
}

/** Replaces Fastify's parser, which accepts NUL, lone surrogates and Infinity; PostgreSQL then refuses them. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/merge-patch+json'],
    { parseAs: 'buffer', bodyLimit },
    async (request: FastifyRequest, body: Buffer) => parseBody(body, request.headers['content-encoding']),
  )
  app.addHook('preValidation', async (request) => requireBody(request))
}

/** Undefined for an empty body: some client libraries send Content-Type without a body. */
function parseBody(body: Buffer, encoding: string | undefined): unknown {
  rejectEncoding(encoding)
  return body.length === 0 ? undefined : readJson(body)
}

export function rejectEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'identity') return
  throw new AppError('unsupported_media_type', 'A body must come without Content-Encoding.')
}

/**
 * Limit of fields and items in one body. 10 MiB can contain millions, and each is validated, compared and stored on
 * the one thread that serves all clients. A batch of 1,000 records may have 250 for each record.
 */
const maxValues = 250_000

/** Parses JSON and refuses what PostgreSQL cannot store. */
export function readJson(body: Buffer, most = maxValues): unknown {
  const { values, numbers } = scanJson(body, most)
  if (values > most) throw tooManyValues(most)
  const value = parseJson(body)
  if (numbers.length > 0) {
    throw new AppError(
      'number_too_large',
      'A number is too large to be stored exactly; send it as a string.',
      {
        errors: numbers,
      },
    )
  }
  const errors = findUnstorableValues(value)
  if (errors.length === 0) return value
  throw new AppError('validation_failed', 'The body contains values that cannot be stored.', { errors })
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
    // The message of the parser quotes the body, so it is not shown.
    throw new AppError('malformed_json', 'The body is not valid JSON.')
  }
}

/** Fastify validates a missing body as `null`, and the error would say that the type is wrong. */
function requireBody(request: FastifyRequest): void {
  const { schema, config } = request.routeOptions
  if (schema?.body === undefined) rejectUnexpectedBody(request)
  if (schema?.body === undefined || request.body !== undefined) return
  if (!config.bodyOptional) throw new AppError('malformed_json', 'This operation needs a JSON body.')
  request.body = {}
}

/** A route without a body schema refuses fields: a client that sends one expects an effect. `{}` is accepted. */
function rejectUnexpectedBody({ body }: FastifyRequest): void {
  if (typeof body !== 'object' || body === null || !isPlain(body) || Object.keys(body).length === 0) return
  const errors = Object.keys(body)
    .slice(0, 100)
    .map((name) => ({ pointer: `/${name.slice(0, 200)}`, message: 'unknown field' }))
  throw new AppError('validation_failed', 'This operation takes no body.', { errors })
}

/** The parser of the import route passes on a stream, which is not a plain object. */
function isPlain(body: object): boolean {
  return Object.getPrototypeOf(body) === Object.prototype
}
