import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/trust/caller.ts'
import { attemptBatch } from '../../jobs/runs/attempt.ts'
import type { BatchResult } from '../../jobs/runs/runs.ts'
import { findRecords, lockRecords } from '../../records/index.ts'
import { deleteProfileRows, retireRecord } from '../../revision/index.ts'
import type { DreamContext } from '../steps.ts'
import { listStaleProfiles } from './profiles.queries.ts'

type Origin = { textLanguage: string; step: string; actor: string }

/** Retires the profiles of entities that are history, and those of withdrawn facts that no other profile replaces. */
export async function retireStaleProfiles(context: DreamContext, origin: Origin): Promise<void> {
  // Without a model, as in most dry runs, a profile that a model would replace stays.
  const filter = { scope: context.run.scope, ceiling: context.model?.maxSensitivity ?? ('hyper' as const) }
  for (const id of await listStaleProfiles(context.db, filter)) {
    await attemptBatch(context, { part: origin.step, recordId: id }, async (tx) => {
      await lockRecords(tx, [id])
      const [stale] = await listStaleProfiles(tx, { ...filter, profileId: id })
      return stale === undefined ? {} : retireProfile(tx, context, id, origin)
    })
  }
}

async function retireProfile(
  tx: Transaction,
  { run }: DreamContext,
  id: string,
  origin: Origin,
): Promise<BatchResult> {
  const [profile] = await findRecords(tx, [id], fullTrust)
  if (!profile) return {}
  await deleteProfileRows(tx, [id])
  await retireRecord(tx, profile, {
    ...origin,
    now: run.startedAt,
    runId: run.id,
    rationale: 'its entity or its sources were withdrawn',
    to: 'superseded',
  })
  const change = { record_id: id, action: 'supersede', after: { status: 'superseded' } }
  return { counts: { cards_dropped: 1 }, changes: [change] }
}
