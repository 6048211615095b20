import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/caller.ts'
import type { BatchResult, RunContext } from '../../jobs/runs.ts'
import { findRecords } from '../../records/index.ts'
import { retireRecord } from '../../revision/index.ts'
import { lockTold } from '../entity-facts.queries.ts'
import { settle } from '../run-in-batch.service.ts'
import { listLeft } from './profiles.queries.ts'

type Resources = { db: Database; textLanguage: string; step: string; actor: string }

/** Cards of entities that were folded into others give way to those of the others. */
export function createDropping({ db, textLanguage, step, actor }: Resources) {
  async function dropLeft(context: RunContext): Promise<void> {
    for (const id of await listLeft(db, context.run.scope)) {
      await settle(context, { part: step, recordId: id }, (tx) => drop(tx, context, id))
    }
  }

  async function drop(tx: Transaction, { run }: RunContext, id: string): Promise<BatchResult> {
    await lockTold(tx, [id])
    const [card] = (await listLeft(tx, null)).includes(id) ? await findRecords(tx, [id], fullTrust) : []
    if (!card) return {}
    const told = { now: run.startedAt, runId: run.id, actor, rationale: 'whom it is of was merged', step }
    await retireRecord(tx, card, { ...told, textLanguage, to: 'superseded' })
    const change = { record_id: id, action: 'supersede', after: { status: 'superseded' } }
    return { counts: { cards_dropped: 1 }, changes: [change] }
  }

  return { dropLeft }
}
