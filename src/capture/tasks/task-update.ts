import { capturedKey } from '../../domain/payloads/captured-content.ts'
import type { WorkingPayload } from '../../domain/payloads/payloads.ts'
import { getRank, isOpenTo, type Trust, type Visibility } from '../../domain/trust/caller.ts'
import { isJsonObject } from '../../kernel/json-objects.ts'
import type { KnownRecord } from '../../records/index.ts'

type Task = Pick<KnownRecord, 'id' | 'scope' | 'sensitivity' | 'status' | 'forgotten_at'>

/**
 * Chooses the record of the thread that a report updates: the least sensitive one that the report may continue,
 * otherwise the most sensitive one that the caller may read in full, otherwise any.
 */
export function chooseTask(known: readonly Task[], visibility: Visibility, trust: Trust): Task | undefined {
  const tasks = known
    .filter(
      (each) => each.scope === visibility.scope && each.status === 'active' && each.forgotten_at === null,
    )
    .sort((one, other) => getRank(one.sensitivity) - getRank(other.sensitivity))
  const open = tasks.filter(({ sensitivity }) => isOpenTo(trust, sensitivity))
  return open.find((task) => continuesTask(task, visibility)) ?? open.at(-1) ?? tasks[0]
}

/** A report never raises the sensitivity of a record, because readers of the record would lose it. */
export function continuesTask(task: Visibility, { scope, sensitivity }: Visibility): boolean {
  return task.scope === scope && getRank(task.sensitivity) >= getRank(sensitivity)
}

/**
 * Returns the new state of a task. Reported fields replace the old ones, and all other fields stay: a report that a
 * task is blocked does not remove its next actions.
 */
export function mergeTaskReport(
  before: WorkingPayload,
  report: WorkingPayload,
  content: unknown,
): WorkingPayload {
  const fields = isJsonObject(content) ? content : {}
  const isReported = (name: string) => Object.hasOwn(fields, name) && fields[name] !== null
  const members = Object.entries(report).filter(([name]) => isReported(name) || !Object.hasOwn(before, name))
  return {
    ...before,
    ...Object.fromEntries(members),
    active_constraints: mergeConstraints(before, report, isReported('active_constraints')),
    // The summary may be given outside of the content.
    ...(report.context_summary === undefined ? {} : { context_summary: report.context_summary }),
  }
}

/** Other content is kept as one constraint per key, the newest of each. */
function mergeConstraints(before: WorkingPayload, report: WorkingPayload, isReported: boolean) {
  if (isReported) return report.active_constraints
  const kept = new Set(report.active_constraints.map(({ key }) => key))
  const unchanged = before.active_constraints.filter(
    ({ type, key }) => type !== capturedKey || !kept.has(key),
  )
  return [...unchanged, ...report.active_constraints]
}
