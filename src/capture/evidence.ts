import type { TSchema } from 'typebox'
import type { CapturedContent } from '../domain/captured-content.ts'
import type { Fault } from '../kernel/errors.ts'
import type { NewCapture } from './capture.schemas.ts'

/** A capture as it is read: what its content says under names that have a meaning, and everything else. */

/** Every place where a value breaks a schema. Passed in, because a pure file may not reach for the validator. */
export type CheckSchema = (schema: TSchema, value: unknown) => Fault[]

export type Fields = Readonly<Record<string, unknown>>

export type Evidence = {
  input: NewCapture
  /** Those of the content's own fields that can have a meaning; a null has one only where any JSON may stand. */
  fields: Fields
  /** When it happened, in UTC with milliseconds. */
  occurredAt: string
}

const anyJson = ['args', 'result', 'object']
const meaningful = [
  ...['ref', 'event_kind', 'timeline', 'tool_graph', 'tool_graph_ref', 'environment', 'outcome', 'artifacts'],
  ...['tool_name', 'tool', 'id', 'depends_on', 'subject', 'predicate', 'validity', 'revision_policy'],
  ...['thread_id', 'state', 'active_constraints', 'next_actions', 'open_questions', 'context_summary'],
  ...['target_id', 'rationale', 'summary', 'text', 'message'],
]

export function readEvidence(input: NewCapture, now: Date): Evidence {
  const content = isObject(input.content) ? input.content : {}
  const names = meaningful.filter((name) => content[name] !== null)
  return {
    input,
    fields: pickFields(content, [...names, ...anyJson]),
    occurredAt: (input.timestamp === undefined ? now : new Date(input.timestamp)).toISOString(),
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Those of the named fields that are there; a name that every object inherits, such as `constructor`, is none. */
export function pickFields(fields: Fields, names: Iterable<string>): Fields {
  return Object.fromEntries(
    [...names].filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]),
  )
}

/** What is wrong with the fields that have a meaning; a required one is wrong when it is missing. */
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

/** `placed` are the names of the fields that the payload says in a place of their own. */
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

/** A content may have half a million fields: it is copied once, and only if something is taken out. */
function removeFields(content: unknown, fields: Fields, usedFields: ReadonlySet<string>): CapturedContent {
  if (!isObject(content)) return { content }
  const taken = new Set(Object.keys(fields).filter((name) => usedFields.has(name)))
  if (taken.size === 0) return { content }
  const rest = Object.entries(content).filter(([name]) => !taken.has(name))
  return rest.length === 0 ? {} : { content: Object.fromEntries(rest) }
}
