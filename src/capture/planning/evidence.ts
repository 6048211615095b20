import type { TSchema } from 'typebox'
import type { CapturedContent } from '../../domain/payloads/captured-content.ts'
import type { Fault } from '../../kernel/errors.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json-objects.ts'
import type { NewCapture } from '../capture.schemas.ts'

/** A capture split into the content fields that have a meaning and everything else. */

/**
 * Returns every place where a value breaks a schema. It is a parameter, because pure files may not import the
 * validator.
 */
export type CheckSchema = (schema: TSchema, value: unknown) => Fault[]

export type Fields = JsonObject

export type Evidence = {
  input: NewCapture
  /**
   * The content fields that can have a meaning. Null values are left out, except in fields that take any JSON value.
   */
  fields: Fields
  /** When it happened, as ISO 8601 in UTC with milliseconds. */
  occurredAt: string
}

const anyJson = ['args', 'result', 'object']
const meaningful = [
  'ref',
  'event_kind',
  'timeline',
  'tool_graph',
  'tool_graph_ref',
  'environment',
  'outcome',
  'artifacts',
  'tool_name',
  'tool',
  'id',
  'depends_on',
  'subject',
  'predicate',
  'validity',
  'revision_policy',
  'thread_id',
  'state',
  'active_constraints',
  'next_actions',
  'open_questions',
  'context_summary',
  'target_id',
  'rationale',
  'summary',
  'text',
  'message',
]

export function readEvidence(input: NewCapture, now: Date): Evidence {
  const content = isJsonObject(input.content) ? input.content : {}
  const names = meaningful.filter((name) => content[name] !== null)
  return {
    input,
    fields: pickFields(content, [...names, ...anyJson]),
    occurredAt: (input.timestamp === undefined ? now : new Date(input.timestamp)).toISOString(),
  }
}

/** Returns the named fields that the object itself has. Inherited names such as `constructor` are ignored. */
export function pickFields(fields: Fields, names: Iterable<string>): Fields {
  return Object.fromEntries(
    [...names].filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]),
  )
}

/** Returns the faults of the fields that have a meaning. A missing required field is a fault. */
export function findFieldFaults(
  fields: Fields,
  schemas: Readonly<Record<string, TSchema>>,
  required: readonly string[],
  check: CheckSchema,
): Fault[] {
  return Object.entries(schemas).flatMap(([name, schema]) => {
    const pointer = `/content/${name}`
    if (Object.hasOwn(fields, name)) {
      return check(schema, fields[name]).map((fault) => ({ ...fault, pointer: `${pointer}${fault.pointer}` }))
    }
    return required.includes(name) ? [{ pointer, message: 'is required' }] : []
  })
}

/**
 * Returns the content, context and reason that no field of the payload holds. `usedFields` are the names the payload
 * holds.
 */
export function collectUnusedContent(
  { input, fields }: Evidence,
  usedFields: ReadonlySet<string>,
): CapturedContent {
  const { content, context, reason_to_remember: reason } = input
  return {
    ...removeFields(content, fields, usedFields),
    ...(context === undefined || Object.keys(context).length === 0 ? {} : { context }),
    ...(reason === undefined ? {} : { reason_to_remember: reason }),
  }
}

/** Content may have half a million fields, so it is copied once, and only if a field must be removed. */
function removeFields(content: unknown, fields: Fields, usedFields: ReadonlySet<string>): CapturedContent {
  if (!isJsonObject(content)) return { content }
  const taken = new Set(Object.keys(fields).filter((name) => usedFields.has(name)))
  if (taken.size === 0) return { content }
  const rest = Object.entries(content).filter(([name]) => !taken.has(name))
  return rest.length === 0 ? {} : { content: Object.fromEntries(rest) }
}
