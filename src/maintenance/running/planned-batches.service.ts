import { createHash } from 'node:crypto'
import type { Transaction } from '../../db/transaction.ts'
import type { Change } from '../../jobs/runs.ts'
import { extendDigest, insertEffects, noteSources, readEffects, readVersions } from './effects.queries.ts'
import { insertPlannedChanges, listRescored } from './planned-batches.queries.ts'

/** What is kept of a batch of a plan: the rows that it wrote, or the versions of the records that it only forgot. */
export type Kept = { effects: string | undefined; versions: ReadonlyMap<string, number> }
export const nothingKept: Kept = { effects: undefined, versions: new Map() }

/**
 * The changes by which a job of the decay only forgets records. Their record tells all that must be known to apply them, so
 * no rows are kept of them.
 */
const forgettings: ReadonlySet<string> = new Set(['prune', 'forget'])

/** Reads what a batch wrote, before it is rolled back. */
export async function readRehearsed(
  tx: Transaction,
  runId: string,
  changes: readonly Change[],
): Promise<Kept> {
  const forgotten = changes.flatMap(({ record_id: id, action }) => (forgettings.has(action) ? id : []))
  const versions = forgotten.length > 0 ? await readVersions(tx, forgotten) : new Map<string, number>()
  await noteSources(tx, runId)
  return { versions, effects: await readEffects(tx, runId) }
}

/** Lists the changes of a batch, and stores what was read of it. */
export async function keepPlanned(
  tx: Transaction,
  planId: string,
  changes: readonly Change[],
  { effects, versions }: Kept,
): Promise<void> {
  if (effects === undefined && changes.length === 0) return
  const planned = changes.map((change) =>
    forgettings.has(change.action) ? { ...change, version: versions.get(change.record_id) } : change,
  )
  // The rows first: they tell the type and the scope of what would be created.
  if (effects !== undefined) await insertEffects(tx, planId, effects)
  await insertPlannedChanges(tx, planId, planned)
  if (effects !== undefined) await listRescored(tx, planId)
  const kept = JSON.stringify([planned, effects ?? null])
  await extendDigest(tx, planId, createHash('sha256').update(kept).digest('hex'))
}
