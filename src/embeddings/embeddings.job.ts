import type { Database } from '../db/connection.ts'
import type { Sensitivity } from '../domain/trust/caller.ts'
import { abortWhenRunEnds } from '../jobs/runs/abort-when-run-ends.ts'
import type { JobWork, RunContext } from '../jobs/runs/runs.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Logger } from '../kernel/log.ts'
import { createCellAssigner } from './cells/cell-assigner.service.ts'
import { createCellCache } from './cells/cell-cache.service.ts'
import { pollCells } from './cells/cells.job.ts'
import { isBuiltIn } from './embedders/embedder.service.ts'
import type { Embedder } from './embedders/embedder.ts'
import { createTextEmbedder } from './embedders/text-embedding.service.ts'
import { createModelRegistration } from './embedding-models.service.ts'
import { createEmbeddingPass } from './queue/embedding-pass.service.ts'
import { pollEmbeddingQueue } from './queue/embedding-poll.job.ts'
import { countWaiting, findWork, retryGivenUp } from './queue/embedding-queue.queries.ts'
import { pollComparisons } from './surprise/surprise.job.ts'
import { countUncompared } from './surprise/surprise-comparison.queries.ts'
import { createSurpriseComparison } from './surprise/surprise-comparison.service.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  log: Logger
  /** Without an embedder texts are queued and wait. */
  embedder: Embedder | undefined
  /** More sensitive records are never sent to an external model. */
  maxSensitivity: Sensitivity
}

const countedInDryRun = ['due', 'waiting', 'given_up', 'to_compare']
const figures = ['embedded', 'without_vector', 'failed', 'given_up', 'compared', 'duplicates', 'not_compared']

/** Creates the job `embed` and the background polling that does the same work. */
export function createEmbeddingJob({ db, clock, ids, log, embedder, maxSensitivity: most }: Resources) {
  if (!embedder) {
    return { work: { run: countDryRun }, watch: () => ({ stop: async () => {} }), hasWork: async () => false }
  }
  const maxSensitivity = isBuiltIn(embedder) ? 'hyper' : most
  const { ask, measure } = createTextEmbedder(embedder)
  const resources = { db, clock, log, embedder, maxSensitivity }
  const registration = createModelRegistration({ ...resources, ids, measure })
  const cache = createCellCache()
  const cellAssigner = createCellAssigner({ db, cache })
  const embedding = createEmbeddingPass({ ...resources, ask, cellAssigner })
  const comparison = createSurpriseComparison({ clock, log, cells: cache })

  async function run(context: RunContext): Promise<void> {
    if (context.run.dryRun) return countDryRun(context)
    await abortWhenRunEnds(context, async (signal) => {
      const model = await registration.findOwnModel(signal)
      if (!model) return
      const { inBatch, run, setTotal } = context
      const { scope } = run
      const { due, given_up: givenUp } = await countWaiting(db, clock.now(), scope)
      await setTotal(due + givenUp, figures)
      await inBatch(async (tx) => ({ counts: { revived: await retryGivenUp(tx, clock.now(), scope) } }))
      const outage = await embedding.processQueue({ inBatch, model, scope, signal })
      await comparison.comparePending({ inBatch, scope, signal })
      if (outage) throw outage
    })
  }

  /** Counts the work of a run. A dry run sends nothing to the model. */
  async function countDryRun({ run, inBatch, setTotal }: RunContext): Promise<void> {
    if (!run.dryRun) return
    await setTotal(0, countedInDryRun)
    await inBatch(async (tx) => ({
      counts: {
        ...(await countWaiting(tx, clock.now(), run.scope)),
        to_compare: await countUncompared(tx, run.scope),
      },
    }))
  }

  /** Whether a text waits for its vector, at the cost of two index probes. */
  async function hasWork(): Promise<boolean> {
    const { is_due, is_changing } = await findWork(db, clock.now())
    return is_due || is_changing
  }

  function watch() {
    const watches = [
      pollEmbeddingQueue({ db, clock, log, registration, embedding }),
      pollComparisons({ db, log, comparison }),
      pollCells({ db, log, cache }),
    ]
    return {
      stop: async () => {
        await Promise.all(watches.map((each) => each.stop()))
        // Without this, workers with another model would wait a minute longer.
        await registration
          .leave()
          .catch((error) =>
            log.warn('a worker that stops could not be removed from the list', { err: error }),
          )
      },
    }
  }

  const work: JobWork = { run }
  return { work, watch, hasWork }
}
