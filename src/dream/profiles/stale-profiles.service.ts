import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/caller.ts'
import type { BatchResult, RunContext } from '../../jobs/runs.ts'
import { findRecords } from '../../records/index.ts'
import { retireRecord } from '../../revision/index.ts'
import { lockRecords } from '../entity-facts.queries.ts'
import { runInBatch } from '../question-loop.service.ts'
import { listStaleProfiles } from './profiles.queries.ts'

type Resources = { textLanguage: string; step: string; actor: string }

/** Retires the profiles of entities that were merged into others. */
export function createProfileCleanup({ textLanguage, step, actor }: Resources) {
  async function retireStaleProfiles(context: RunContext): Promise<void> {
    for (const id of await listStaleProfiles(context.db, context.run.scope)) {
      await runInBatch(context, { part: step, recordId: id }, (tx) => retireProfile(tx, context, id))
    }
  }

  async function retireProfile(tx: Transaction, { run }: RunContext, id: string): Promise<BatchResult> {
    await lockRecords(tx, [id])
    const [card] = (await listStaleProfiles(tx, null)).includes(id)
      ? await findRecords(tx, [id], fullTrust)
      : []
    if (!card) return {}
    const audit = {
      now: run.startedAt,
      runId: run.id,
      actor,
      rationale: 'its entity was merged into another one',
      step,
    }
    await retireRecord(tx, card, { ...audit, textLanguage, to: 'superseded' })
    const change = { record_id: id, action: 'supersede', after: { status: 'superseded' } }
    return { counts: { cards_dropped: 1 }, changes: [change] }
  }

  return { retireStaleProfiles }
}
