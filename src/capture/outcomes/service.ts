import type { Database } from '../../db/connection.ts'
import { type Call, transact } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { answerWritten, claimRecord, type WrittenRecord, writeChange } from '../../records/index.ts'
import type { Outcome } from '../../records/payloads.ts'

type Resources = { db: Database; clock: Clock; textLanguage: string }

type Told = { outcome: Outcome; actor: string; rationale: string; kept?: unknown }

/** How an episode ended: the one thing about it that may be said later, and corrected. */
export function createOutcomes({ db, clock, textLanguage }: Resources) {
  async function choose(call: Call, id: string, told: Told): Promise<WrittenRecord> {
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const stored = await claimRecord(tx, call, id)
      const { payload } = stored
      if (payload.kind !== 'episodic') throw new AppError('type_mismatch', 'Only an episode has an outcome.')
      const { outcome, actor, rationale, kept } = told
      if (payload.outcome === outcome) return answerWritten(call.caller, stored, now)
      const changed = await writeChange(tx, stored, {
        ...{ action: 'revise', actor, rationale, now, textLanguage },
        content: { payload: { ...payload, outcome } },
        changes: {
          'payload.outcome': [payload.outcome ?? null, outcome],
          ...(kept === undefined ? {} : { captured: [null, kept] }),
        },
      })
      return answerWritten(call.caller, changed, now)
    })
  }

  return { choose }
}
