import type { Database } from '../db/connection.ts'
import { transact } from '../db/transaction.ts'
import type { Sensitivity } from '../domain/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/log.ts'
import {
  type ConfiguredModel,
  deleteRetiredVectors,
  findEmbeddingModel,
  lockModels,
  lockReadyModel,
  lockUnfilledModel,
  type ModelRow,
  queueUnembedded,
  registerModel,
  retireModel,
  startServing,
  stopServing,
  touchModel,
} from './embedding-models.queries.ts'
import { retryGivenUp } from './embedding-queue.queries.ts'
import type { Embedder } from './hash-embedder.ts'

type Resources = {
  db: Database
  clock: Clock
  log: Logger
  embedder: Embedder
  /** Nothing more sensitive is read by it. */
  maxSensitivity: Sensitivity
  /** Asked once, where nobody has said how long the vectors are. */
  measure(signal: AbortSignal): Promise<number>
}

/** Often enough that a worker which stalls for a moment does not lose its place. */
const noteEveryMs = 15_000
/** A place that nobody has claimed for so long is free. */
const absentMs = 60_000

const listedAtOnce = 5_000
const deletedAtOnce = 2_000

/**
 * Texts are embedded with one model at a time. Where workers are configured differently, as while a new version is
 * rolled out, those who were there first go on and the others stand back until the last of them has been gone for a
 * minute: the place changes hands once, however the processes come, go and come again.
 */
export function createModelRegistration({ db, clock, log, embedder, maxSensitivity, measure }: Resources) {
  let dimensions: number | undefined
  let known: { model: ModelRow | undefined; until: number } | undefined

  /** The model of this worker, or undefined while texts are embedded with another. */
  async function findOwnModel(signal: AbortSignal): Promise<ModelRow | undefined> {
    if (known && performance.now() < known.until) return known.model
    dimensions ??= await measure(signal)
    const { provider, model: name } = embedder
    const configured = { provider, model: name, dimensions, max_sensitivity: maxSensitivity }
    const model = (await touchModel(db, configured, clock.now())) ?? (await claimPlace(configured))
    if (!model && (!known || known.model)) log.info('texts are embedded by workers configured otherwise')
    known = { model, until: performance.now() + noteEveryMs }
    return model
  }

  async function claimPlace(configured: ConfiguredModel): Promise<ModelRow | undefined> {
    const taken = await transact(db, {}, async (tx) => {
      await lockModels(tx)
      const now = clock.now()
      const incumbent = await findEmbeddingModel(tx)
      if (incumbent && now.getTime() - incumbent.seen_at.getTime() < absentMs) {
        // Somebody of the same configuration may have been quicker.
        return touchModel(tx, configured, now)
      }
      await retireModel(tx)
      await retryGivenUp(tx, now)
      return registerModel(tx, configured, now)
    })
    if (taken?.walked_to)
      log.info('an embedding model is registered', { ...configured, serves: taken.serves })
    return taken
  }

  /** After an answer that does not fit, what is known of the model is asked anew. */
  function forget(): void {
    dimensions = undefined
    known = undefined
  }

  return { findOwnModel, forget }
}

type Step = (
  work: (tx: Database) => Promise<{ counts: Record<string, number>; isMore: boolean }>,
) => Promise<{
  isMore: boolean
}>

/**
 * One step of what a change of model takes beside embedding: listing what the new one has not read, putting it in
 * service once it has, deleting what the old one left. Answers whether there may be more to do.
 */
export async function advanceModelChange(step: Step, modelId: number): Promise<boolean> {
  const steps = [
    async (tx: Database) => ({ isMore: await queueNext(tx, modelId), counts: {} }),
    async (tx: Database) => ({ isMore: await activateModel(tx, modelId), counts: {} }),
    async (tx: Database) => ({ isMore: await deleteRetiredVectors(tx, deletedAtOnce), counts: {} }),
  ]
  for (const each of steps) {
    const { isMore } = await step(each)
    if (isMore) return true
  }
  return false
}

async function queueNext(tx: Database, modelId: number): Promise<boolean> {
  return (await lockUnfilledModel(tx, modelId)) && (await queueUnembedded(tx, modelId, listedAtOnce))
}

/** All at once for whoever searches: before it the old one answers, after it the new one. */
async function activateModel(tx: Database, modelId: number): Promise<boolean> {
  if (!(await lockReadyModel(tx, modelId))) return false
  await stopServing(tx)
  await startServing(tx, modelId)
  return true
}
