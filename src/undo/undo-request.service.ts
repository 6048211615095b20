import type { Database } from '../db/connection.ts'
import type { RunStatus } from '../db/schema.ts'
import { AppError } from '../kernel/errors.ts'
import { hasChanges, hasEffects } from './undo.queries.ts'

type Target = { id: string; job: string; dry_run: boolean; status: RunStatus }

/** The changes of these jobs are logged with their run. For runs of the other jobs since migration 0038 the rows are kept. */
const logged: ReadonlySet<string> = new Set(['decay', 'refresh_importance'])

const impossible: Readonly<Record<string, string>> = {
  purge: 'Purged records are gone.',
  embed: 'A run of `embed` only computes vectors.',
  simulation: 'A simulation changes nothing.',
}

export function requireUndoable({ job, dry_run, status }: Target, isKept: boolean): void {
  if (dry_run) throw createRefusal('A dry run changed nothing.')
  if (status === 'queued' || status === 'running') throw createRefusal('The run has not ended yet.')
  const reason = impossible[job]
  if (reason) throw createRefusal(reason)
  if (!isKept) throw createRefusal('The run is older than the release that keeps what runs change.')
}

/** Whether what a run changed is still known, of the records that are still stored. */
export async function isKept(db: Database, { id, job }: Target): Promise<boolean> {
  return logged.has(job) || (await hasEffects(db, id)) || !(await hasChanges(db, id))
}

function createRefusal(reason: string): AppError {
  return new AppError('not_undoable', reason)
}
