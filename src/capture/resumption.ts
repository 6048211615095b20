import { keptUnder } from '../records/captured.ts'
import type { WorkingPayload } from '../records/payloads.ts'
import { isObject } from './evidence.ts'

/**
 * How a task stands now: what was told anew replaces what it was, and what was not told stays. A report that the
 * task is blocked does not take its next actions away.
 */
export function resumeTask(before: WorkingPayload, told: WorkingPayload, content: unknown): WorkingPayload {
  const fields = isObject(content) ? content : {}
  const isTold = (name: string) => Object.hasOwn(fields, name) && fields[name] !== null
  const members = Object.entries(told).filter(([name]) => isTold(name) || !Object.hasOwn(before, name))
  return {
    ...before,
    ...Object.fromEntries(members),
    active_constraints: resumeConstraints(before, told, isTold('active_constraints')),
    // A summary may have been told beside the content.
    ...(told.context_summary === undefined ? {} : { context_summary: told.context_summary }),
  }
}

/** What came along and has no place of its own is kept under its key, the newest of each. */
function resumeConstraints(before: WorkingPayload, told: WorkingPayload, isTold: boolean) {
  if (isTold) return told.active_constraints
  const kept = new Set(told.active_constraints.map(({ key }) => key))
  const stay = before.active_constraints.filter(({ type, key }) => type !== keptUnder || !kept.has(key))
  return [...stay, ...told.active_constraints]
}
