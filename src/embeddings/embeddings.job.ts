import type { Database } from '../db/connection.ts'
import type { Sensitivity } from '../domain/caller.ts'
import type { JobWork, RunContext } from '../jobs/runs.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import { createRegistration } from './embedding-models.service.ts'
import { createEmbedding } from './embedding-pass.service.ts'
import { watchUnembedded } from './embedding-poll.job.ts'
import { countWaiting, reviveGivenUp } from './embedding-queue.queries.ts'
import type { Embedder } from './hash-embedder.ts'
import { watchUncompared } from './surprise/surprise.job.ts'
import { countUncompared } from './surprise/surprise-comparison.queries.ts'
import { createSurprising } from './surprise/surprise-comparison.service.ts'
import { createAsking } from './text-embedding.service.ts'

type Resources = {
  db: Database
  clock: Clock
  log: Logger
  /** Without one what is to be embedded is listed, and waits. */
  embedder: Embedder | undefined
  /** Nothing more sensitive is sent to somebody else's model. */
  maxSensitivity: Sensitivity
}

const figures = [
  ...['embedded', 'without_vector', 'failed', 'given_up'],
  ...['compared', 'duplicates', 'not_compared'],
]
const proceedEveryMs = 1_000

/** The job `embed`, and what does the same without being asked. */
export function createEmbeddings({ db, clock, log, embedder, maxSensitivity: most }: Resources) {
  if (!embedder) return { work: { run: rehearse }, watch: () => ({ stop: async () => {} }) }
  const maxSensitivity = embedder.provider === 'hash' ? 'hyper' : most
  const { ask, measure } = createAsking(embedder)
  const resources = { db, clock, log, embedder, maxSensitivity }
  const registration = createRegistration({ ...resources, measure })
  const embedding = createEmbedding({ ...resources, ask })
  const surprising = createSurprising({ clock })

  async function run(context: RunContext): Promise<void> {
    if (context.run.dryRun) return rehearse(context)
    await untilEnded(context, async (signal) => {
      const model = await registration.attend(signal)
      if (!model) return
      const { inBatch, run, setTotal } = context
      const { scope } = run
      const { due, given_up: givenUp } = await countWaiting(db, clock.now(), scope)
      await setTotal(due + givenUp, figures)
      await inBatch(async (tx) => ({ counts: { revived: await reviveGivenUp(tx, clock.now(), scope) } }))
      const outage = await embedding.workOff({ inBatch, model, scope, signal })
      await surprising.workOff({ inBatch, scope, signal })
      if (outage) throw outage
    })
  }

  /** What there would be to do; no model is asked for the sake of a rehearsal. */
  async function rehearse({ run, inBatch }: RunContext): Promise<void> {
    if (!run.dryRun) return
    await inBatch(async (tx) => ({
      counts: {
        ...(await countWaiting(tx, clock.now(), run.scope)),
        to_compare: await countUncompared(tx, run.scope),
      },
    }))
  }

  const work: JobWork = { run }
  return { work, watch }

  function watch() {
    const watches = [
      watchUnembedded({ db, clock, log, registration, embedding }),
      watchUncompared({ db, log, surprising }),
    ]
    return { stop: async () => void (await Promise.all(watches.map((each) => each.stop()))) }
  }
}

/** A model may take its time, and whoever ends the run does not wait for it. */
async function untilEnded(
  { throwIfEnded }: RunContext,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const ended = new AbortController()
  const look = setInterval(() => void throwIfEnded().catch((error) => ended.abort(error)), proceedEveryMs)
  try {
    await work(ended.signal)
    ended.signal.throwIfAborted()
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error
  } finally {
    clearInterval(look)
  }
}
