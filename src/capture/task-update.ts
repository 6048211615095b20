import { rankOf, type Trust } from '../domain/caller.ts'
import { capturedKey } from '../domain/captured-content.ts'
import type { WorkingPayload } from '../domain/payloads.ts'
import type { KnownRecord } from '../records/index.ts'
import { isObject } from './evidence.ts'
import type { Visibility } from './fact-outcome.ts'

type Task = Pick<KnownRecord, 'id' | 'scope' | 'sensitivity' | 'status' | 'forgotten_at'>

/**
 * Of the records of a thread in the scope of a report, the one to claim: the least sensitive that the report continues,
 * else the most sensitive that the caller reads whole, else any.
 */
export function chooseTask(known: readonly Task[], visibility: Visibility, trust: Trust): Task | undefined {
  const tasks = known
    .filter(
      (each) => each.scope === visibility.scope && each.status === 'active' && each.forgotten_at === null,
    )
    .sort((one, other) => rankOf(one.sensitivity) - rankOf(other.sensitivity))
  const open = tasks.filter(({ sensitivity }) => rankOf(sensitivity) <= rankOf(trust.maxSensitivity))
  return open.find((task) => continuesTask(task, visibility)) ?? open.at(-1) ?? tasks[0]
}

/** A report never makes a record more sensitive, because the record would vanish for those who read it. */
export function continuesTask(
  task: Pick<Task, 'scope' | 'sensitivity'>,
  { scope, sensitivity }: Visibility,
): boolean {
  return task.scope === scope && rankOf(task.sensitivity) >= rankOf(sensitivity)
}

/**
 * How a task stands now: what was told anew replaces what it was, and what was not told stays. A report that the
 * task is blocked does not take its next actions away.
 */
export function mergeTaskReport(
  before: WorkingPayload,
  report: WorkingPayload,
  content: unknown,
): WorkingPayload {
  const fields = isObject(content) ? content : {}
  const isReported = (name: string) => Object.hasOwn(fields, name) && fields[name] !== null
  const members = Object.entries(report).filter(([name]) => isReported(name) || !Object.hasOwn(before, name))
  return {
    ...before,
    ...Object.fromEntries(members),
    active_constraints: mergeConstraints(before, report, isReported('active_constraints')),
    // A summary may have been told beside the content.
    ...(report.context_summary === undefined ? {} : { context_summary: report.context_summary }),
  }
}

/** What came along and has no place of its own is kept under its key, the newest of each. */
function mergeConstraints(before: WorkingPayload, report: WorkingPayload, isReported: boolean) {
  if (isReported) return report.active_constraints
  const kept = new Set(report.active_constraints.map(({ key }) => key))
  const unchanged = before.active_constraints.filter(
    ({ type, key }) => type !== capturedKey || !kept.has(key),
  )
  return [...unchanged, ...report.active_constraints]
}
