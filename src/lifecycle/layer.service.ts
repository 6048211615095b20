import type { Database } from '../db/connection.ts'
import { type CallContext, transact } from '../db/transaction.ts'
import { isLower, stepDown, stepUp } from '../domain/layers.ts'
import type { Change, JobWork, RunContext } from '../jobs/runs.ts'
import { walkTable } from '../jobs/table-walk.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { loadForUpdate, presentWritten, type WrittenRecord, writeChange } from '../records/index.ts'
import { rescore } from './importance.queries.ts'
import type { LayerMove } from './layer.schemas.ts'
import { claimEpisodic, claimWorking, countEpisodic, countWorking } from './promotion.queries.ts'
import { type Promoted, promoteDue } from './promotion.service.ts'

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

/** Promotes records that became due by time or by changes other than accesses, as parts of runs. */
export function createPromotion({ db, size = defaultSize }: { db: Database; size?: number }) {
  const describeSpan = ({ run: { scope, startedAt } }: RunContext) => ({ scope, now: startedAt })

  type Claim = typeof claimWorking
  function walkThrough(context: RunContext, claim: Claim): Promise<void> {
    const span = describeSpan(context)
    return walkTable(context, {
      part: 'promotion',
      size,
      claim: (tx, portion) =>
        claim(tx, { ...span, ...portion, dryRunId: context.run.dryRun ? context.run.id : null }),
      perform: async (tx, ids) => {
        const runId = context.run.id
        return report(await promoteDue(tx, { ids, now: span.now, runId }))
      },
    })
  }

  return {
    /**
     * Adds the promotion of working memory, which becomes due by time alone, to the job that runs most often. It
     * costs one index probe.
     */
    addTo: ({ run, ...work }: JobWork): JobWork => ({
      ...work,
      run: async (context) => {
        const waiting = await countWorking(db, describeSpan(context))
        await run({
          ...context,
          setTotal: (total, counted) => context.setTotal(total + waiting, counted),
        })
        if (waiting > 0) await walkThrough(context, claimWorking)
      },
    }),
    raiseAll: async (context: RunContext): Promise<void> => {
      await walkThrough(context, claimWorking)
      await walkThrough(context, claimEpisodic)
    },
    count: async (context: RunContext): Promise<number> =>
      (await countWorking(db, describeSpan(context))) + (await countEpisodic(db, describeSpan(context))),
  }
}

/** One batch holds the locks of its records until it ends. */
const defaultSize = 2_000

function report({ episodic, semantic }: Promoted) {
  const from = new Map<string, string>([
    ...semantic.map((id): [string, string] => [id, 'episodic']),
    ...episodic.map((id): [string, string] => [id, 'working']),
  ])
  const raised = new Set(semantic)
  const changes = [...from].map(
    ([id, layer]): Change => ({
      record_id: id,
      action: 'promote',
      before: { layer },
      after: { layer: raised.has(id) ? 'semantic' : 'episodic' },
    }),
  )
  return { counts: { promoted_episodic: episodic.length, promoted_semantic: semantic.length }, changes }
}
