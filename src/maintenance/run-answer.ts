import { omitNulls } from '../kernel/omit-nulls.ts'
import type { ChangeRow, RunRow } from './maintenance.queries.ts'
import type { MaintenanceRun, RunChange } from './maintenance.schemas.ts'

export function presentRun(row: RunRow): MaintenanceRun {
  return omitNulls({
    id: row.id,
    job: row.job,
    trigger: row.trigger,
    dry_run: row.dry_run,
    scope: row.scope,
    // The database holds only checked JSON.
    options: removeReason(row.options as MaintenanceRun['options']),
    status: row.status,
    progress: omitNulls({ done: row.done, total: row.total }),
    stats: row.stats as MaintenanceRun['stats'],
    error: row.error,
    attempts: row.attempts,
    worker: row.worker,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString(),
    finished_at: row.finished_at?.toISOString(),
  })
}

/** The actor and the reason of an undo are in the log of each record. */
function removeReason({ actor: _, rationale: __, via: ___, ...options }: MaintenanceRun['options']) {
  return options
}

export function presentChange({ record_id, action, before, after, note, is_open }: ChangeRow): RunChange {
  if (!is_open) return { record_id, action, redacted: true }
  return omitNulls({
    record_id,
    action,
    before: before as RunChange['before'],
    after: after as RunChange['after'],
    note,
  })
}
