import { isSchemaGone } from '../../db/failures.ts'
import type { Transaction } from '../../db/transaction.ts'
import { differsInDetail } from '../../domain/importance/changed-detail.ts'
import { computeSurprise } from '../../domain/importance/surprise.ts'
import { writeJudgedText } from '../../domain/payloads/searchable-text.ts'
import type { Neighbour } from '../../domain/vectors/similarity.ts'
import { findThresholds, type SimilarityThresholds } from '../../domain/vectors/similarity-thresholds.ts'
import { drainInBatches } from '../../jobs/runs/batch-walk.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Logger } from '../../kernel/log.ts'
import { promoteDue, rescore } from '../../lifecycle/index.ts'
import type { CellCache } from '../cells/cell-cache.service.ts'
import type { Pass as EmbeddingPass } from '../queue/embedding-pass.service.ts'
import { prepareLargeScan } from '../search/vector-search.queries.ts'
import { decodeVector } from '../vectors/decoded-vectors.ts'
import { isIndependentSource } from './independent-source.ts'
import {
  type ComparedRecord,
  type Comparison,
  dropUncompared,
  findComparedRecords,
  findStableModel,
  findUncompared,
  type PendingRecord,
  tryLockComparison,
  writeSurprises,
} from './surprise-comparison.queries.ts'
import { findNeighbours, type NewVector } from './surprise-neighbours.service.ts'

type Pass = Omit<EmbeddingPass, 'model'>

/** In the largest scope this takes about ten seconds, during which only other comparisons wait. */
const maxBatch = 250

const nothing = { taken: 0, counts: {} }

type Batch = { limit: number; signal: AbortSignal }
type Resources = { clock: Clock; log: Logger; cells?: CellCache; maxInside?: number }

/**
 * Compares each record that got its first vector with what the store already knew, once, and changes its base
 * importance.
 */
export function createSurpriseComparison({ clock, log, cells, maxInside }: Resources) {
  const bounds = maxInside === undefined ? {} : { maxInside }

  /**
   * Compares until nothing is left that can be compared now. A batch that fails is tried again in smaller ones, down to the
   * record that fails, which is not compared then.
   */
  async function comparePending({ inBatch, scope, signal }: Pass): Promise<void> {
    await drainInBatches({
      size: maxBatch,
      doBatch: async (limit) => {
        if (signal.aborted) return false
        const { taken } = await inBatch((tx) => compareNext(tx, scope, { limit, signal }))
        return taken >= limit
      },
      skipFirst: async (error) => {
        if (isSchemaGone(error)) throw error
        await inBatch((tx) => dropNext(tx, scope, error))
        return true
      },
    })
  }

  async function dropNext(tx: Transaction, scope: string | null, error: unknown) {
    const model = await lockModel(tx)
    if (!model) return nothing
    const [failed] = await findUncompared(tx, { modelId: model.id, scope, limit: 1 })
    if (!failed) return nothing
    await dropUncompared(tx, [failed.id])
    log.warn('a record could not be compared with others', { err: error, record_id: failed.id })
    return { taken: 1, counts: { not_compared: 1 } }
  }

  /** Reads, compares and writes under one lock, so that no other comparison runs in between. */
  async function compareNext(tx: Transaction, scope: string | null, { limit, signal }: Batch) {
    const model = await lockModel(tx)
    if (!model) return nothing
    const listed = await findUncompared(tx, { modelId: model.id, scope, limit })
    if (listed.length === 0) return nothing
    await prepareLargeScan(tx)
    const newVectors = listed.flatMap((each) => toNewVector(each, model.dimensions))
    const found = await findNeighbours({ tx, clock, cells, model, signal, ...bounds }, newVectors)
    const compared = await evaluateNeighbours(tx, found, findThresholds(model.provider))
    await write(tx, compared)
    const passedOver = listed.filter(({ id }) => !found.get(id)).map(({ id }) => id)
    if (passedOver.length > 0) await dropUncompared(tx, passedOver)
    return { taken: listed.length, counts: countResults(found, compared) }
  }

  async function write(tx: Transaction, compared: readonly Comparison[]): Promise<void> {
    if (compared.length === 0) return
    const now = clock.now()
    const ids = await writeSurprises(tx, compared, now)
    if (ids.length === 0) return
    await rescore(tx, { ids, now })
    await promoteDue(tx, { ids, now })
  }

  return { comparePending }
}

/** The model whose vectors can be compared. Undefined while another transaction compares. */
async function lockModel(tx: Transaction) {
  return (await tryLockComparison(tx)) ? findStableModel(tx) : undefined
}

function toNewVector({ vector, ...rest }: PendingRecord, dimensions: number): NewVector[] {
  if (!vector) return []
  const { signature, ...coded } = vector
  return [{ ...rest, signature, decoded: decodeVector({ id: rest.id, ...coded }, dimensions) }]
}

async function evaluateNeighbours(
  tx: Transaction,
  found: ReadonlyMap<string, readonly Neighbour[] | null>,
  thresholds: SimilarityThresholds,
): Promise<Comparison[]> {
  // The base is 0 here: the difference is added to the base that the record has when it is written.
  const judge = (neighbours: readonly Neighbour[], isCorrection: boolean) =>
    computeSurprise(0, neighbours, thresholds, isCorrection).surprise
  const judged = [...found].flatMap(([id, neighbours]) =>
    neighbours ? [{ id, all: neighbours, surprise: judge(neighbours, false) }] : [],
  )
  const near = judged.flatMap(({ id, surprise: { duplicate_of: of } }) => (of === undefined ? [] : [id, of]))
  const records = near.length > 0 ? await findComparedRecords(tx, [...new Set(near)]) : []
  const byId = new Map(records.map((each) => [each.id, each]))
  return judged.map(({ id, all, surprise }) => {
    const record = byId.get(id)
    const nearest = byId.get(surprise.duplicate_of ?? '')
    const [text, known] = [record, nearest].map(readText)
    const isCorrection = text !== undefined && known !== undefined && differsInDetail(text, known)
    const { score, delta, neighbours, duplicate_of: of = null } = isCorrection ? judge(all, true) : surprise
    const confirms =
      of !== null && record !== undefined && nearest !== undefined && isIndependentSource(record, nearest)
    return { id, score, delta, duplicate_of: of, confirms, neighbours }
  })
}

function readText(record: ComparedRecord | undefined): string | undefined {
  return record?.payload ? writeJudgedText(record.payload) : undefined
}

function countResults(found: ReadonlyMap<string, unknown>, compared: readonly Comparison[]) {
  return {
    compared: compared.length,
    duplicates: compared.filter(({ duplicate_of: of }) => of !== null).length,
    not_compared: found.size - compared.length,
  }
}
