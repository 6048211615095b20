import type { Database } from '../db/connection.ts'
import { type Caller, fullTrust, permissions } from '../domain/caller.ts'
import { AppError } from '../kernel/errors.ts'
import { type Change, loadManyForUpdate, reactivateRecord, writeChange } from '../records/index.ts'
import { findSalienceBeforeMerge } from './merge-reversal.queries.ts'

type ReversalInput = Pick<Change, 'actor' | 'rationale' | 'now' | 'textLanguage' | 'runId'>

/**
 * What was merged is active again, worth what it was when it was put aside and fading from now on. All of it, whatever
 * the one who asks may see: half a merge taken back would leave the other half nowhere. Answers which came back.
 */
export async function revertMerge(
  tx: Database,
  ids: readonly string[],
  reverting: ReversalInput,
): Promise<string[]> {
  if (ids.length === 0) return []
  const claimed = await loadManyForUpdate(tx, { caller: createServiceCaller(reverting.actor) }, ids)
  const taken = new Map((await findSalienceBeforeMerge(tx, ids)).map(({ id, salience }) => [id, salience]))
  const reverted: string[] = []
  for (const stored of claimed) {
    if (stored instanceof AppError || stored.status !== 'merged') continue
    await writeChange(tx, stored, {
      ...{ ...reverting, action: 'status', status: { to: 'active', step: 'revert', reverts: true } },
      ...reactivateRecord(stored, taken.get(stored.id), reverting.now),
    })
    reverted.push(stored.id)
  }
  return reverted
}

function createServiceCaller(name: string): Caller {
  return {
    ...{ principal: name, name, sourceType: 'dream', permissions: new Set(permissions) },
    isService: true,
    trust: fullTrust,
  }
}
