import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError, type ErrorCode, type Fault } from '../../kernel/errors.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json-objects.ts'
import { scanJson } from '../bodies/body-scan.ts'
import { describeTextFault, findUnstorableValues } from './body-inspection.ts'
import { coerceQuery } from './coercion.ts'
import { describeUnknown } from './fault-messages.ts'
import { registerFormats } from './formats.ts'
import { findFaults, isValid } from './schema-faults.ts'
import { readKeywords } from './schema-keywords.ts'

registerFormats()

/** Enough to correct a request. More would only make the answer to a hostile request large. */
const maxFaults = 100

/** Lists every place where the value breaks the schema; empty for a valid value. */
export function listFaults(schema: TSchema, value: unknown): Fault[] {
  return isValid(schema, value) ? [] : findFaults(schema, value, maxFaults)
}

/** Lists what in a value cannot be stored, else what breaks the schema. A body that cannot be stored was refused before. */
export function listStoringFaults(schema: TSchema, value: unknown): Fault[] {
  const unstorable = findUnstorableValues(value)
  return unstorable.length > 0 ? unstorable : listFaults(schema, value)
}

/** Whether a text of JSON has a number that would lose digits, or become infinite. */
export function hasInexactNumber(json: string): boolean {
  return (
    /\d{16}|\d[eE]/.test(json) && scanJson(Buffer.from(json), Number.POSITIVE_INFINITY).numbers.length > 0
  )
}

type Validated = { value: unknown } | { error: Error }

/**
 * The validator for Fastify: bodies are checked as they are, query strings are converted first. A schema is compiled when it
 * is first needed: all of them would take a tenth of the start.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  if (httpPart === 'querystring') return (value) => validateQuery(schema, asObject(value))
  if (httpPart === 'params') return (value) => validateParams(schema, asObject(value))
  return (value) => validateBody(schema, value)
}

function validateBody(schema: TSchema, value: unknown): Validated {
  const faults = listFaults(schema, value)
  return faults.length === 0 ? { value } : failValidation('The body does not match the schema.', faults)
}

function validateQuery(schema: TSchema, query: JsonObject): Validated {
  const value = coerceQuery(schema, query)
  const faults = [...findUnknownParameters(schema, query), ...findUnstorableText(query)]
  if (faults.length === 0) faults.push(...listFaults(schema, value).map(toQueryFault))
  return faults.length === 0
    ? { value }
    : failValidation('The query string does not match the schema.', faults)
}

function findUnknownParameters(schema: TSchema, query: JsonObject): Fault[] {
  const known = readKeywords(schema).properties ?? {}
  return Object.keys(query)
    .filter((name) => !Object.hasOwn(known, name))
    .slice(0, maxFaults)
    .map((name, index) => ({
      pointer: `?${name.slice(0, 200)}`,
      message: describeUnknown('parameter', name, { all: Object.keys(known), listed: index > 0 }),
    }))
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

/** Turns `/tag/3` into `?tag`: clients of a query string do not think in JSON pointers. */
function toQueryFault({ pointer, message }: Fault): Fault {
  return { pointer: `?${pointer.slice(1).split('/', 1)[0]}`, message }
}

/** A path parameter that is not valid names nothing: 404, as for a valid id that does not exist. */
function validateParams(schema: TSchema, value: JsonObject): Validated {
  for (const [name, parameter] of Object.entries(readKeywords(schema).properties ?? {})) {
    const message = describeTextValueFault(value[name]) ?? listFaults(parameter, value[name])[0]?.message
    if (message === undefined) continue
    const code = getNotFoundCode(parameter)
    return code === 'validation_failed'
      ? failValidation('The path does not match the schema.', [{ pointer: `/${name}`, message }])
      : { error: new AppError(code, `The ${name} in the path ${message}.`) }
  }
  return { value }
}

/**
 * A path parameter may have the keyword `missing` with the code to answer. The default for an id is that of a record.
 * `validation_failed` is for an id of the caller's choice: a write can create what it names.
 */
export function getNotFoundCode(parameter: TSchema): ErrorCode {
  const { format, missing } = parameter as { format?: string; missing?: ErrorCode }
  return missing ?? (format === 'uuid' ? 'record_not_found' : 'route_not_found')
}

function failValidation(message: string, errors: Fault[]): Validated {
  return { error: new AppError('validation_failed', message, { errors }) }
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
