import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError, type ErrorCode, type Fault } from '../../kernel/errors.ts'
import { describeTextFault } from './body-inspection.ts'
import { coerceQuery } from './coercion.ts'
import { registerFormats } from './formats.ts'
import { findFaults, isValid } from './schema-faults.ts'
import { isObject, type JsonObject, keywordsOf } from './schema-keywords.ts'

registerFormats()

/** Enough to mend any request by; more would only make the answer to a hostile one large. */
const maxFaults = 100

/** Every place where the value breaks the schema; empty when it keeps it. */
export function listFaults(schema: TSchema, value: unknown): Fault[] {
  return isValid(schema, value) ? [] : findFaults(schema, value, maxFaults)
}

type Validated = { value: unknown } | { error: Error }

/** Fastify's validator: bodies as they are, query strings read as the types they stand for. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // Compiled now, so that a schema that cannot be stops the start and not the first request.
  isValid(schema, undefined)
  if (httpPart === 'querystring') return (value) => validateQuery(schema, asObject(value))
  if (httpPart === 'params') return (value) => validateParams(schema, asObject(value))
  return (value) => validateBody(schema, value)
}

function validateBody(schema: TSchema, value: unknown): Validated {
  const faults = listFaults(schema, value)
  return faults.length === 0 ? { value } : failValidation('The body breaks the schema.', faults)
}

function validateQuery(schema: TSchema, query: JsonObject): Validated {
  const value = coerceQuery(schema, query)
  const faults = [...findUnknownParameters(schema, query), ...findUnstorableText(query)]
  if (faults.length === 0) faults.push(...listFaults(schema, value).map(toQueryFault))
  return faults.length === 0 ? { value } : failValidation('The query string breaks the schema.', faults)
}

function findUnknownParameters(schema: TSchema, query: JsonObject): Fault[] {
  const known = keywordsOf(schema).properties ?? {}
  return Object.keys(query)
    .filter((name) => !Object.hasOwn(known, name))
    .slice(0, maxFaults)
    .map((name) => ({ pointer: `?${name.slice(0, 200)}`, message: 'unknown parameter' }))
}

function findUnstorableText(query: JsonObject): Fault[] {
  return Object.entries(query).flatMap(([name, value]) => {
    const message = [value].flat().map(describeTextValueFault).find(Boolean)
    return message === undefined ? [] : [{ pointer: `?${name}`, message }]
  })
}

function describeTextValueFault(value: unknown): string | undefined {
  return typeof value === 'string' ? describeTextFault(value) : undefined
}

/** `/tag/3` is inside what was written as `?tag=…`; a caller of a GET knows no pointers. */
function toQueryFault({ pointer, message }: Fault): Fault {
  return { pointer: `?${pointer.slice(1).split('/', 1)[0]}`, message }
}

/** What cannot be a path of this API names nothing in it: 404, as for an id that is well formed and unknown. */
function validateParams(schema: TSchema, value: JsonObject): Validated {
  const isText = Object.values(value).every((each) => typeof each !== 'string' || !describeTextFault(each))
  if (isText && isValid(schema, value)) return { value }
  const [, broken = {}] =
    Object.entries(keywordsOf(schema).properties ?? {}).find(
      ([name, property]) => !isValid(property, value[name]),
    ) ?? []
  return { error: new AppError(getNotFoundCode(broken), 'Nothing has this path.') }
}

/** A path parameter may carry `missing`, the code of what it names; an id is a record's unless it does. */
export function getNotFoundCode(parameter: TSchema): ErrorCode {
  const { format, missing } = parameter as { format?: string; missing?: ErrorCode }
  return missing ?? (format === 'uuid' ? 'record_not_found' : 'route_not_found')
}

function failValidation(message: string, errors: Fault[]): Validated {
  return { error: new AppError('validation_failed', message, { errors }) }
}

function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
