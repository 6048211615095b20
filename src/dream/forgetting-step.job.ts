import type { Database } from '../db/connection.ts'
import { stopSavingEffects } from '../db/run-effects.ts'
import { walkTable } from '../jobs/runs/run-walk.ts'
import type { RunContext } from '../jobs/runs/runs.ts'
import { addMilliseconds } from '../kernel/units.ts'
import { createPromotion, type Refresh, type RetentionSettings } from '../lifecycle/index.ts'
import { type Archived, archiveRecords, claimArchivable, countArchivable } from './archival.queries.ts'
import type { Step } from './steps.ts'

type Resources = RetentionSettings & {
  db: Database
  forgottenRetentionMs: number
  refresh: Refresh
  size?: number
}

/** Records per batch. A batch holds the locks of its records until it ends. */
const defaultBatchSize = 2_000

/**
 * Promotes records, then archives, then refreshes importance. The order matters: a record due for promotion must not
 * be archived.
 */
export function createForgettingStep(resources: Resources): Step {
  const {
    db,
    forgottenRetentionMs,
    refresh,
    retentionMode,
    retentionShape,
    size = defaultBatchSize,
  } = resources
  const promotion = createPromotion({ db, size })

  async function archiveAged(context: RunContext): Promise<void> {
    const { id: runId, dryRun, startedAt: now } = context.run
    const purgeAt = addMilliseconds(now, forgottenRetentionMs)
    const filter = createFilter(context)
    await walkTable(context, {
      part: 'archival',
      size,
      claim: (tx, portion) => claimArchivable(tx, { ...filter, ...portion }),
      perform: async (tx, ids) => {
        // A forgotten record names its run. A plan keeps more.
        if (!dryRun) await stopSavingEffects(tx)
        const settings = { retentionMode, retentionShape }
        return toBatch(await archiveRecords(tx, { ...settings, ...filter, ids, purgeAt, runId }), {
          now,
          purgeAt,
        })
      },
    })
  }

  return {
    name: 'forget',
    figures: ['promoted_episodic', 'promoted_semantic', 'archived', 'refreshed'],
    count: async (context) =>
      (await promotion.count(context)) +
      (await countArchivable(context.db, createFilter(context))) +
      (await refresh.count(context)),
    run: async (context) => {
      await promotion.promoteAll(context)
      await archiveAged(context)
      await refresh.run(context)
    },
    help: refresh.help,
  }
}

function createFilter({ run: { scope, startedAt } }: RunContext) {
  return { scope, now: startedAt }
}

function toBatch(archived: readonly Archived[], { now, purgeAt }: { now: Date; purgeAt: Date }) {
  return {
    counts: { archived: archived.length },
    changes: archived.map(({ id, ...before }) => ({
      record_id: id,
      action: 'archive',
      before,
      after: { forgotten_at: now, purge_at: purgeAt },
    })),
  }
}
