import type { Database } from '../../db/connection.ts'
import { asOperation } from '../../db/run-effects.ts'
import { type CallContext, getVia, type Transaction, transact } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import {
  createRewrite,
  describeEntries,
  type Effect,
  erasedContentNote,
  insertEntries,
  insertImportanceMoves,
  listBatches,
  listEffects,
  replay,
} from '../../effects/index.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError, createFaultError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import {
  createErasedContentError,
  findErasedRecords,
  findReadableRecord,
  loadForUpdate,
  lockTombstonesShared,
  presentWritten,
  queueForEmbedding,
  type WrittenRecord,
} from '../../records/index.ts'
import type { Reversal } from '../revision.schemas.ts'
import { findLastOperation } from './reversal.queries.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  seal: Seal
  /** Computes the importance of changed records. A parameter, because this room must not import lifecycle/. */
  rescore(tx: Transaction, changed: { ids: readonly string[]; now: Date }): Promise<unknown>
}

export type ReversalService = ReturnType<typeof createReversalService>

export function createReversalService({ db, clock, ids, seal, rescore }: Resources) {
  /** Takes the last revision of a record back on all records that it changed, as a revision of its own. */
  async function revert(call: CallContext, id: string, input: Reversal): Promise<WrittenRecord> {
    requireOneName(input)
    return transact(db, call, async (tx) => {
      await lockTombstonesShared(tx)
      await loadForUpdate(tx, call, id)
      const operationId = await findReversible(tx, id, input)
      const now = clock.now()
      await asOperation(tx, ids.next(), () =>
        revertOperation(tx, { seal, rescore }, operationId, { ...input, now }),
      )
      return presentWritten(call.caller, await findReadableRecord(tx, call.caller, id), now)
    })
  }

  return { revert }
}

function requireOneName({ to_version: version, operation_id: operation }: Reversal): void {
  if ((version === undefined) !== (operation === undefined)) return
  throw createFaultError('Give either `to_version` or `operation_id`.', {
    pointer: '/to_version',
    message: 'or `operation_id` is required, and not both',
  })
}

async function findReversible(
  tx: Transaction,
  id: string,
  { to_version: version, operation_id: operation }: Reversal,
): Promise<string> {
  const last = await findLastOperation(tx, id)
  if (!last) throw new AppError('not_undoable', 'The record has no revision that can be taken back.')
  const isMeant = operation === undefined ? last.version === version : last.id === operation.toLowerCase()
  if (isMeant) return last.id
  throw new AppError('not_undoable', 'Only the last revision of the record can be taken back.')
}

async function revertOperation(
  tx: Transaction,
  { seal, rescore }: Pick<Resources, 'seal' | 'rescore'>,
  operationId: string,
  { actor, rationale, now }: Reversal & { now: Date },
): Promise<void> {
  const effects: Effect[] = []
  for (const batch of await listBatches(tx, operationId)) {
    for (const effect of await listEffects(tx, operationId, batch)) effects.push(effect)
  }
  const {
    effects: written,
    blocked,
    importanceMoves,
    unscored,
  } = await replay(tx, effects, {
    direction: 'backward',
    findErased: (records) => findErasedRecords(tx, seal, records),
    rewrite: createRewrite(effects, now),
  })
  if ([...blocked.values()].includes(erasedContentNote)) throw createErasedContentError()
  // Half of a revision taken back would leave the other half without its meaning.
  if (blocked.size > 0) throw new AppError('not_undoable', 'A record of the revision was changed since.')
  const via = getVia(tx)
  const entries = describeEntries(written)
  await insertEntries(tx, entries, { action: 'revise', actor, rationale, runId: null, now, via })
  if (importanceMoves.length > 0) await insertImportanceMoves(tx, importanceMoves, { runId: null, now })
  if (unscored.size > 0) await rescore(tx, { ids: [...unscored], now })
  await queueForEmbedding(
    tx,
    entries.map(({ record_id: id }) => id),
    now,
  )
}
