import { formatDuration } from '../kernel/units.ts'
import type { ChangeRow, RunRow } from './maintenance.queries.ts'
import type { MaintenanceRun, RunChange, Schedule } from './maintenance.schemas.ts'

export function presentRun(row: RunRow): MaintenanceRun {
  return {
    id: row.id,
    job: row.job,
    trigger: row.trigger,
    dry_run: row.dry_run,
    ...(row.scope === null ? {} : { scope: row.scope }),
    // The database holds only checked JSON.
    options: removeReason(row.options as MaintenanceRun['options']),
    status: row.status,
    progress: { done: row.done, ...(row.total === null ? {} : { total: row.total }) },
    stats: row.stats as MaintenanceRun['stats'],
    ...(row.error === null ? {} : { error: row.error }),
    attempts: row.attempts,
    ...(row.worker === null ? {} : { worker: row.worker }),
    created_at: row.created_at.toISOString(),
    ...(row.started_at ? { started_at: row.started_at.toISOString() } : {}),
    ...(row.finished_at ? { finished_at: row.finished_at.toISOString() } : {}),
  }
}

/** The actor and the reason of an undo are in the log of each record. */
function removeReason({ actor: _, rationale: __, via: ___, ...options }: MaintenanceRun['options']) {
  return options
}

export function presentChange({ record_id, action, before, after, note, is_open }: ChangeRow): RunChange {
  if (!is_open) return { record_id, action, redacted: true }
  return {
    record_id,
    action,
    ...(before === null ? {} : { before: before as Record<string, unknown> }),
    ...(after === null ? {} : { after: after as Record<string, unknown> }),
    ...(note === null ? {} : { note }),
  }
}

type ScheduleRow = {
  interval_ms: number | null
  enabled: boolean
  mode: string
  last_success_at: Date | null
  next_at: Date
}

/** A job without a row or an interval of its own has the configured interval, in which 0 is never. */
export function presentSchedule(job: string, row: ScheduleRow | undefined, configuredMs: number): Schedule {
  const intervalMs = row?.interval_ms ?? configuredMs
  const enabled = (row?.enabled ?? true) && intervalMs > 0
  return {
    job,
    interval: formatDuration(intervalMs),
    enabled,
    mode: row?.mode === 'plan' ? 'plan' : 'run',
    ...(row?.last_success_at ? { last_success_at: row.last_success_at.toISOString() } : {}),
    ...(row && enabled ? { next_at: row.next_at.toISOString() } : {}),
  }
}
