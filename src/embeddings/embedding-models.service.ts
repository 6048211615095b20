import type { Database } from '../db/connection.ts'
import { type Transaction, transact } from '../db/transaction.ts'
import type { Sensitivity } from '../domain/trust/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Logger } from '../kernel/log.ts'
import type { Embedder } from './embedders/embedder.ts'
import {
  type ConfiguredModel,
  deleteRetiredVectors,
  deleteWorker,
  findEmbeddingModel,
  lockModels,
  lockReadyModel,
  lockUnfilledModel,
  type ModelRow,
  queueUnembedded,
  registerModel,
  releaseModel,
  retireModel,
  startServing,
  stopServing,
  touchModel,
} from './embedding-models.queries.ts'
import { retryGivenUp } from './queue/embedding-queue.queries.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  log: Logger
  embedder: Embedder
  /** The model may not read more sensitive records. */
  maxSensitivity: Sensitivity
  /** Called once when the number of dimensions is not configured. */
  measure(signal: AbortSignal): Promise<number>
}

/** Often enough that a worker keeps its place when it stalls for a moment. */
const noteEveryMs = 15_000
/** How often a waiting worker checks whether it may embed now. */
const retryEveryMs = 5_000
/** A place is free when no worker has reported for this long. */
const absentMs = 60_000

const listedAtOnce = 5_000
const deletedAtOnce = 2_000

/**
 * Registers the embedding model of this worker. Only one model embeds texts at a time. When workers have different
 * models, as during a rollout, the workers that came first continue, and the others wait until the last of them has
 * stopped, or has been silent for a minute. So the model changes once, in any order of starts and stops.
 */
export function createModelRegistration({
  db,
  clock,
  ids,
  log,
  embedder,
  maxSensitivity,
  measure,
}: Resources) {
  const worker = ids.random()
  let dimensions: number | undefined
  let isNoted = false
  let known: { model: ModelRow | undefined; until: number } | undefined

  /** Returns the model of this worker; undefined while another model embeds texts. */
  async function findOwnModel(signal: AbortSignal): Promise<ModelRow | undefined> {
    if (known && performance.now() < known.until) return known.model
    dimensions ??= await measure(signal)
    const { provider, model: name } = embedder
    const configured = { provider, model: name, dimensions, max_sensitivity: maxSensitivity }
    const model = (await touchModel(db, configured, presence())) ?? (await claimPlace(configured))
    if (!model && (!known || known.model))
      log.info('this worker waits: workers with another embedding configuration are running')
    isNoted ||= model !== undefined
    known = { model, until: performance.now() + (model ? noteEveryMs : retryEveryMs) }
    return model
  }

  async function claimPlace(configured: ConfiguredModel): Promise<ModelRow | undefined> {
    const taken = await transact(db, {}, async (tx) => {
      await lockModels(tx)
      const now = clock.now()
      const current = await findEmbeddingModel(tx)
      if (current && now.getTime() - current.seen_at.getTime() < absentMs) {
        // Another worker with the same configuration may have been faster.
        return touchModel(tx, configured, presence())
      }
      await retireModel(tx)
      await retryGivenUp(tx, now)
      await registerModel(tx, configured, now)
      return touchModel(tx, configured, presence())
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

  /** Frees the place of this worker, so that the next one need not wait until this one counts as gone. */
  async function leave(): Promise<void> {
    if (!isNoted) return
    isNoted = false
    known = undefined
    await transact(db, {}, async (tx) => {
      await lockModels(tx)
      const modelId = await deleteWorker(tx, worker)
      if (modelId !== undefined) await releaseModel(tx, modelId)
    })
  }

  const presence = () => ({ worker, now: clock.now(), absentMs })

  return { findOwnModel, forget, leave }
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
