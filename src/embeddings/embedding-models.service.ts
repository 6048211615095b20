import type { Database } from '../db/connection.ts'
import { type Transaction, transact } from '../db/transaction.ts'
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
  /** The model may not read more sensitive records. */
  maxSensitivity: Sensitivity
  /** Called once when the number of dimensions is not configured. */
  measure(signal: AbortSignal): Promise<number>
}

/** Often enough that a worker keeps its place when it stalls for a moment. */
const noteEveryMs = 15_000
/** A place is free when its worker has not reported for this long. */
const absentMs = 60_000

const listedAtOnce = 5_000
const deletedAtOnce = 2_000

/**
 * Registers the embedding model of this worker. Only one model embeds texts at a time. When workers have different
 * models, as during a rollout, the workers that came first continue, and the others wait until the last of them has
 * been gone for a minute. So the model changes once, in any order of starts and stops.
 */
export function createModelRegistration({ db, clock, log, embedder, maxSensitivity, measure }: Resources) {
  let dimensions: number | undefined
  let known: { model: ModelRow | undefined; until: number } | undefined

  /** Returns the model of this worker; undefined while another model embeds texts. */
  async function findOwnModel(signal: AbortSignal): Promise<ModelRow | undefined> {
    if (known && performance.now() < known.until) return known.model
    dimensions ??= await measure(signal)
    const { provider, model: name } = embedder
    const configured = { provider, model: name, dimensions, max_sensitivity: maxSensitivity }
    const model = (await touchModel(db, configured, clock.now())) ?? (await claimPlace(configured))
    if (!model && (!known || known.model))
      log.info('texts are embedded by workers with another configuration')
    known = { model, until: performance.now() + noteEveryMs }
    return model
  }

  async function claimPlace(configured: ConfiguredModel): Promise<ModelRow | undefined> {
    const taken = await transact(db, {}, async (tx) => {
      await lockModels(tx)
      const now = clock.now()
      const incumbent = await findEmbeddingModel(tx)
      if (incumbent && now.getTime() - incumbent.seen_at.getTime() < absentMs) {
        // Another worker with the same configuration may have been faster.
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

  /** After an unexpected answer, reads the model and its dimensions again. */
  function forget(): void {
    dimensions = undefined
    known = undefined
  }

  return { findOwnModel, forget }
}

type Step = (
  work: (tx: Transaction) => Promise<{ counts: Record<string, number>; isMore: boolean }>,
) => Promise<{
  isMore: boolean
}>

/**
 * Does one step of a change of model: queue records for the new model, let it serve when it is complete, delete the
 * vectors of the old one. Returns whether there may be more to do.
 */
export async function advanceModelChange(step: Step, modelId: number): Promise<boolean> {
  const steps = [
    async (tx: Transaction) => ({ isMore: await queueNext(tx, modelId), counts: {} }),
    async (tx: Transaction) => ({ isMore: await activateModel(tx, modelId), counts: {} }),
    async (tx: Transaction) => ({ isMore: await deleteRetiredVectors(tx, deletedAtOnce), counts: {} }),
  ]
  for (const each of steps) {
    const { isMore } = await step(each)
    if (isMore) return true
  }
  return false
}

async function queueNext(tx: Transaction, modelId: number): Promise<boolean> {
  return (await lockUnfilledModel(tx, modelId)) && (await queueUnembedded(tx, modelId, listedAtOnce))
}

/** One statement switches all searches: before it the old model answers, after it the new one. */
async function activateModel(tx: Transaction, modelId: number): Promise<boolean> {
  if (!(await lockReadyModel(tx, modelId))) return false
  await stopServing(tx)
  await startServing(tx, modelId)
  return true
}
