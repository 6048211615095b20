import type { TSchema } from 'typebox'
import { capturedKey } from '../domain/captured-content.ts'
import { WorkingPayload } from '../domain/payloads.ts'
import type { Fault } from '../kernel/errors.ts'
import { refSchema } from './episode-payload.ts'
import { type Check, type Evidence, findFieldFaults, isObject, keepRest, pickFields } from './evidence.ts'

/** How a task stands, as a working record. */

const { kind: _, ...ownFields } = WorkingPayload.properties
const taskFields: Readonly<Record<string, TSchema>> = { ...ownFields, ref: refSchema }
const placed = new Set(Object.keys(taskFields))

export function findTaskFaults({ given, fields }: Evidence, check: Check): Fault[] {
  if (!isObject(given.content)) {
    return [{ pointer: '/content', message: 'must be an object with the thread_id of the task' }]
  }
  return findFieldFaults(fields, taskFields, ['thread_id'], check)
}

type Said = Pick<WorkingPayload, 'thread_id'> & Partial<WorkingPayload>

/** The evidence must have been found without faults. */
export function tellTask(evidence: Evidence): WorkingPayload {
  const { summary } = evidence.given
  const told = pickFields(evidence.fields, Object.keys(ownFields)) as Said
  const kept = Object.entries(keepRest(evidence, placed))
  return {
    kind: 'working',
    state: 'executing',
    next_actions: [],
    open_questions: [],
    ...(summary === undefined ? {} : { context_summary: summary }),
    ...told,
    active_constraints: [
      ...(told.active_constraints ?? []),
      ...kept.map(([key, value]) => ({ type: capturedKey, key, value, required: false })),
    ],
  }
}
