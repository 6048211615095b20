import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import { transact } from '../../db/transaction.ts'
import { hasDirection, normalise } from '../../domain/vectors/similarity.ts'
import { decode } from '../../domain/vectors/vector-codes.ts'
import { walkInBatches } from '../../jobs/runs/batch-walk.ts'
import { nilUuid } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/log.ts'
import { measureSignatures } from '../search/vector-search.queries.ts'
import type { CellCache } from './cell-cache.service.ts'
import { createAssigner, learnCells } from './cell-learning.ts'
import * as queries from './cells.queries.ts'
import { type CellSet, computeFirstCell } from './cells.ts'

/** A smaller store is scanned. */
const minVectors = 20_000
/** How many times as large the store is when cells are learnt again. */
const growth = 4
const perCell = 50
const maxCells = 8_192
/** Limits the time to rank all cells for a question, to some milliseconds. */
const maxNumbers = 4_194_304
const sampledPerCell = 16
const maxSampled = 65_536
const walkedAtOnce = 1_000

type Resources = { db: Database; log: Logger; cache: CellCache; least?: number }

/** Learns cells when the store has grown enough, and assigns vectors that do not belong to the newest set. */
export function createCellUpkeep({ db, log, cache, least = minVectors }: Resources) {
  /** The records whose vector this process could not assign. They are still found, in the set before. */
  const failed = new Set<string>()

  /** Does what is due. A vector is found at any time: before, after and during its assignment. */
  async function tidy(signal: AbortSignal): Promise<void> {
    // With an index of pgvector no cell is read.
    if ((await measureSignatures(db)).isIndexed) return
    for (const model of await queries.findCelledModels(db, [...failed])) await tidyModel(model, signal)
    await transact(db, {}, (tx) => queries.deleteRetiredSets(tx))
  }

  async function tidyModel(model: queries.CelledModel, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    if (model.is_unassigned) await assignAll(model, signal)
    else if (model.sets > 1) await dropOlderSets(model)
    else if (await isDue(model)) await learn(model, signal)
  }

  async function isDue({ id, vectors }: queries.CelledModel): Promise<boolean> {
    const due = vectors === null ? least : growth * vectors
    const { signatures } = await measureSignatures(db)
    return signatures >= due && (await queries.countSignatures(db, id)) >= due
  }

  async function learn(model: queries.CelledModel, signal: AbortSignal): Promise<void> {
    const vectors = await queries.countSignatures(db, model.id)
    const sample = await readSample(model, vectors)
    const count = Math.min(maxCells, maxNumbers / model.dimensions, vectors / perCell, sample.length / 8)
    if (count < 2) return
    const learnt = await runGenerator(learnCells(sample, Math.floor(count)), signal)
    if (!learnt || learnt.members.length < 2) return
    await transact(db, {}, async (tx) => {
      // Another worker may have been faster.
      if ((await queries.lockCellSets(tx, model.id)) !== model.set_id) return
      await queries.insertCellSet(tx, { ...learnt, modelId: model.id, vectors })
      log.info('cells of vectors were learnt', { model: model.id, vectors, cells: learnt.members.length })
    })
  }

  async function readSample({ id: modelId, dimensions }: queries.CelledModel, vectors: number) {
    const limit = Math.min(maxSampled, maxCells * sampledPerCell, Math.max(2_000, vectors))
    const percent = Math.min(100, (120 * limit) / vectors)
    const rows = await queries.sampleVectors(db, { modelId, percent, limit })
    return rows
      .map(({ code, bits }) => normalise(decode(code, dimensions, bits)))
      .filter((vector) => hasDirection(vector))
  }

  async function assignAll(model: queries.CelledModel, signal: AbortSignal): Promise<void> {
    const set = (await cache.refresh(db, model.id)).at(-1)
    const assign = set && (await runGenerator(createAssigner(set), signal))
    if (!assign) return
    await walkInBatches<string>({
      start: nilUuid,
      size: walkedAtOnce,
      doBatch: async (after, limit) =>
        signal.aborted ? undefined : assignNext(set, assign, { modelId: model.id, after, limit }),
      skipRecord: async (after, error) => {
        const id = await queries.findWalkEnd(db, { modelId: model.id, after, limit: 1 })
        if (id === undefined) return undefined
        failed.add(id)
        log.warn('a vector could not be assigned to a cell', { err: error, record_id: id })
        return id
      },
    })
    if (!signal.aborted) await dropOlderSets({ ...model, set_id: set.id })
  }

  async function assignNext(
    set: CellSet,
    assign: (vector: Float32Array) => number,
    { modelId, after, limit }: { modelId: number; after: string; limit: number },
  ): Promise<string | undefined> {
    await yieldTurn()
    return transact(db, {}, async (tx) => {
      const until = await queries.findWalkEnd(tx, { modelId, after, limit })
      if (until === undefined) return undefined
      const rows = await queries.claimUnassigned(tx, { modelId, setId: set.id, after, until })
      const assigned = rows.map(({ record_id: id, code, bits }) => ({
        id,
        cell: computeFirstCell(set) + assign(normalise(decode(code, set.dimensions, bits))),
      }))
      if (assigned.length > 0) await queries.writeCells(tx, modelId, assigned)
      return until
    })
  }

  async function dropOlderSets({ id, set_id: newest }: queries.CelledModel): Promise<void> {
    if (newest === null) return
    await transact(db, {}, async (tx) => {
      await queries.lockOlderSets(tx, id, newest)
      await queries.deleteEmptySets(tx, id, newest)
    })
  }

  return { tidy }
}

/** Runs a long computation in pieces. Returns undefined when it was stopped. */
async function runGenerator<T>(steps: Generator<void, T>, signal: AbortSignal): Promise<T | undefined> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    if (signal.aborted) return undefined
    await yieldTurn()
  }
}
