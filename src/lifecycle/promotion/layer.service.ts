import type { Database } from '../../db/connection.ts'
import { type CallContext, transact } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { loadForUpdate, presentWritten, type WrittenRecord, writeChange } from '../../records/index.ts'
import { rescore } from '../importance/importance.queries.ts'
import type { LayerMove } from './layer.schemas.ts'
import { isLower, stepDown, stepUp } from './layers.ts'

type Resources = { db: Database; clock: Clock; textLanguage: string }

export type LayerService = ReturnType<typeof createLayerService>

const steps = { promote: stepUp, demote: stepDown } as const

/** Promotes and demotes records on request. */
export function createLayerService({ db, clock, textLanguage }: Resources) {
  async function move(
    call: CallContext,
    id: string,
    action: keyof typeof steps,
    { layer, actor, rationale }: LayerMove,
  ): Promise<WrittenRecord> {
    return transact(db, call, async (tx) => {
      const now = clock.now()
      const stored = await loadForUpdate(tx, call, id)
      const to = layer ?? steps[action](stored.layer)
      if (!to)
        throw new AppError(
          'no_further_layer',
          `The layer ${stored.layer} has no further layer in this direction.`,
          {
            extra: { layer: stored.layer },
          },
        )
      if (to === stored.layer) return presentWritten(call.caller, stored, now)
      const changed = await writeChange(tx, stored, {
        action,
        actor,
        rationale,
        now,
        textLanguage,
        // Never cleared: after a later promotion by hand, the uses before the demotion must not promote the record further.
        record: { layer: to, ...(isLower(to, stored.layer) ? { demoted_at: now } : {}) },
        changes: { layer: [stored.layer, to] },
      })
      const scores = await rescore(tx, { ids: [stored.id], now })
      const importance = scores.get(stored.id) ?? changed.importance
      return presentWritten(call.caller, { ...changed, importance }, now)
    })
  }

  return {
    promote: (call: CallContext, id: string, input: LayerMove) => move(call, id, 'promote', input),
    demote: (call: CallContext, id: string, input: LayerMove) => move(call, id, 'demote', input),
  }
}
