import type { TSchema } from 'typebox'
import { capturedKey } from '../../domain/payloads/captured-content.ts'
import { WorkingPayload } from '../../domain/payloads/payloads.ts'
import type { Fault } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json-objects.ts'
import { refSchema } from './episode-payload.ts'
import {
  type CheckSchema,
  collectUnusedContent,
  type Evidence,
  findFieldFaults,
  pickFields,
} from './evidence.ts'

/** The state of a task, as the payload of a working record. */

const { kind: _, ...ownFields } = WorkingPayload.properties
const taskFields: Readonly<Record<string, TSchema>> = { ...ownFields, ref: refSchema }
const usedFields = new Set(Object.keys(taskFields))

export function findTaskFaults({ input, fields }: Evidence, check: CheckSchema): Fault[] {
  if (!isJsonObject(input.content)) {
    return [{ pointer: '/content', message: 'must be an object with the thread_id of the task' }]
  }
  return findFieldFaults(fields, taskFields, ['thread_id'], check)
}

type TaskFields = Pick<WorkingPayload, 'thread_id'> & Partial<WorkingPayload>

/** Expects evidence in which `findTaskFaults` found nothing. */
export function buildTaskPayload(evidence: Evidence): WorkingPayload {
  const summary = evidence.input.summary ?? readSummary(evidence)
  const values = pickFields(evidence.fields, Object.keys(ownFields)) as TaskFields
  const kept = Object.entries(collectUnusedContent(evidence, listUsedFields(evidence)))
  return {
    kind: 'working',
    state: 'executing',
    next_actions: [],
    open_questions: [],
    ...(summary === undefined ? {} : { context_summary: summary }),
    ...values,
    active_constraints: [
      ...(values.active_constraints ?? []),
      ...kept.map(([key, value]) => ({ type: capturedKey, key, value, required: false })),
    ],
  }
}

/** Clients name the summary of a task like that of an event. Beside a `context_summary` it is other content. */
function readSummary({ fields }: Evidence): string | undefined {
  const { summary, context_summary: named } = fields
  return typeof summary === 'string' && named === undefined ? summary : undefined
}

function listUsedFields(evidence: Evidence): ReadonlySet<string> {
  return readSummary(evidence) === undefined ? usedFields : new Set([...usedFields, 'summary'])
}
