import type { Database } from '../../db/connection.ts'
import { walkTable } from '../../jobs/runs/run-walk.ts'
import type { Change, JobWork, RunContext } from '../../jobs/runs/runs.ts'
import { claimEpisodic, claimWorking, countEpisodic, countWorking } from './promotion.queries.ts'
import { type Promoted, promoteDue } from './promotion.service.ts'

/** One batch holds the locks of its records until it ends. */
const defaultSize = 2_000

/** Promotes records that became due by time or by changes other than accesses, as parts of runs. */
export function createPromotion({ db, size = defaultSize }: { db: Database; size?: number }) {
  const getSpan = ({ run: { scope, startedAt } }: RunContext) => ({ scope, now: startedAt })

  type Claim = typeof claimWorking
  function promoteClaimed(context: RunContext, claim: Claim): Promise<void> {
    const span = getSpan(context)
    return walkTable(context, {
      part: 'promotion',
      size,
      claim: (tx, portion) =>
        claim(tx, { ...span, ...portion, dryRunId: context.run.dryRun ? context.run.id : null }),
      perform: async (tx, ids) => {
        const runId = context.run.id
        return describePromoted(await promoteDue(tx, { ids, now: span.now, runId }))
      },
    })
  }

  return {
    /**
     * Appends the promotion of working memory, which becomes due by time alone, to the job that runs most often. It
     * costs one index probe.
     */
    appendTo: ({ run, ...work }: JobWork): JobWork => ({
      ...work,
      run: async (context) => {
        const due = await countWorking(db, getSpan(context))
        await run({
          ...context,
          setTotal: (total, counted) => context.setTotal(total + due, counted),
        })
        if (due > 0) await promoteClaimed(context, claimWorking)
      },
    }),
    promoteAll: async (context: RunContext): Promise<void> => {
      await promoteClaimed(context, claimWorking)
      await promoteClaimed(context, claimEpisodic)
    },
    count: async (context: RunContext): Promise<number> =>
      (await countWorking(db, getSpan(context))) + (await countEpisodic(db, getSpan(context))),
  }
}

function describePromoted({ episodic, semantic }: Promoted) {
  const layerBefore = new Map<string, string>([
    ...semantic.map((id): [string, string] => [id, 'episodic']),
    ...episodic.map((id): [string, string] => [id, 'working']),
  ])
  const nowSemantic = new Set(semantic)
  const changes = [...layerBefore].map(
    ([id, layer]): Change => ({
      record_id: id,
      action: 'promote',
      before: { layer },
      after: { layer: nowSemantic.has(id) ? 'semantic' : 'episodic' },
    }),
  )
  return { counts: { promoted_episodic: episodic.length, promoted_semantic: semantic.length }, changes }
}
