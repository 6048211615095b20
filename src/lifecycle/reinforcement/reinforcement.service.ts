import type { Database } from '../../db/connection.ts'
import { maxAnswerBytes } from '../../db/fragments/json/json-size.ts'
import { type CallContext, getVia, type Transaction, transact } from '../../db/transaction.ts'
import { computeSalience } from '../../domain/lifecycle/curves.ts'
import {
  type LifecycleChange,
  penalize,
  pin,
  reinforce,
  unpin,
} from '../../domain/lifecycle/reinforcement.ts'
import { isHistory } from '../../domain/schemas/vocabulary.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError, mapOutcomes } from '../../kernel/errors.ts'
import {
  appendEntry,
  computeWriteTime,
  createAnswerLimit,
  createHistoryError,
  findSuccessors,
  loadManyForUpdate,
  lockVisibleRecords,
  measureContents,
  presentWritten,
  type StoredRecord,
  shortenWritten,
  type WrittenRecord,
} from '../../records/index.ts'
import { rescoreAndPromoteRecords } from '../promotion/promotion.service.ts'
import { type LifecycleUpdate, updateLifecycles } from './reinforcement.queries.ts'
import type { Penalty, Reason } from './reinforcement.schemas.ts'

export type ReinforcementService = ReturnType<typeof createReinforcementService>

type Operation = {
  action: LifecycleUpdate['action']
  uses: LifecycleUpdate['uses']
  /** Whether it moves the importance. */
  rescores: boolean
  /**
   * Undefined when the record is already in the requested state. Then nothing is written, and the version stays.
   */
  apply(stored: StoredRecord, now: Date): LifecycleChange | undefined
}

type Outcome = WrittenRecord | AppError
/** The result for one record of many. */
export type OutcomeOfOne = { id: string; outcome: Outcome }

export function createReinforcementService({ db, clock }: { db: Database; clock: Clock }) {
  /**
   * Applies the operation to all records in one transaction, with one lock and one write unless they are very long. A
   * record that cannot be changed does not stop the others.
   */
  async function perform(
    call: CallContext,
    ids: readonly string[],
    reason: Reason,
    operation: Operation,
  ): Promise<OutcomeOfOne[]> {
    return transact(db, call, async (tx) => {
      // Two spellings of one id are one record, which changes once.
      const unique = [...new Set(ids.map((id) => id.toLowerCase()))]
      const outcomes: Outcome[] = []
      for (const [index, part] of (await splitRecords(tx, call, unique)).entries()) {
        const done = await performPart({ ...call, tx }, part, reason, operation)
        outcomes.push(...(index === 0 ? done : mapOutcomes(done, shortenWritten)))
      }
      const byId = new Map(unique.map((id, place) => [id, outcomes[place]]))
      const limit = createAnswerLimit(maxAnswerBytes)
      return ids.flatMap((id) => {
        const outcome = byId.get(id.toLowerCase())
        if (outcome === undefined) return []
        return [{ id, outcome: outcome instanceof AppError ? outcome : limit(outcome) }]
      })
    })
  }

  /** All are locked first, in one order. Then only the records of one part are in memory. */
  async function splitRecords(tx: Transaction, { caller }: CallContext, ids: string[]): Promise<string[][]> {
    if (ids.length === 1) return [ids]
    await lockVisibleRecords(tx, ids, caller.trust)
    const sizes = await measureContents(tx, caller.trust, ids)
    return splitBySize(ids, new Map(sizes.map(({ id, bytes }) => [id, bytes])), maxAnswerBytes)
  }

  async function performPart(
    call: CallContext & { tx: Transaction },
    ids: readonly string[],
    { actor, rationale }: Reason,
    { action, uses, rescores, apply }: Operation,
  ): Promise<Outcome[]> {
    const { tx, caller } = call
    const now = clock.now()
    const updates: LifecycleUpdate[] = []
    const loaded = await loadManyForUpdate(tx, call, ids)
    const successors = await findSuccessors(tx, caller, loaded)
    const outcomes = mapOutcomes(loaded, (stored): StoredRecord | AppError => {
      if (isHistory(stored.status))
        return createHistoryError(stored, successors, ': its salience no longer changes.')
      const change = apply(stored, now)
      if (!change) return stored
      const changes = { salience: [computeSalience(stored, now), change.salience] }
      const writtenNow = computeWriteTime(stored, now)
      updates.push({ ...change, id: stored.id, action, uses, changes, written_at: writtenNow })
      const entry = { action, actor, at: writtenNow, rationale, run_id: null, changes, via: getVia(tx) }
      const next = {
        ...stored,
        ...change,
        ...noteUses(stored, uses, now),
        version: stored.version + 1,
        updated_at: writtenNow,
      }
      return { ...next, audit_log: appendEntry(stored.audit_log, entry) }
    })
    if (updates.length > 0) await updateLifecycles(tx, updates, { actor, rationale, at: now })
    const moved = rescores
      ? outcomes.flatMap((outcome) => (outcome instanceof AppError ? [] : [outcome]))
      : []
    const rescored = await rescoreAndPromoteRecords(tx, caller, moved, now)
    const rescoredById = new Map(rescored.map((stored) => [stored.id, stored]))
    return mapOutcomes(outcomes, (stored) =>
      presentWritten(caller, rescoredById.get(stored.id) ?? stored, now),
    )
  }

  async function performOne(
    call: CallContext,
    id: string,
    reason: Reason,
    operation: Operation,
  ): Promise<WrittenRecord> {
    const [done] = await perform(call, [id], reason, operation)
    if (!done || done.outcome instanceof AppError) throw done?.outcome
    return done.outcome
  }

  return {
    reinforce: (call: CallContext, id: string, reason: Reason) => performOne(call, id, reason, reinforcing),
    penalize: (call: CallContext, id: string, penalty: Penalty) =>
      performOne(call, id, penalty, createPenalty(penalty.amount)),
    pin: (call: CallContext, id: string, reason: Reason) => performOne(call, id, reason, pinning),
    unpin: (call: CallContext, id: string, reason: Reason) => performOne(call, id, reason, unpinning),
    reinforceAll: (call: CallContext, ids: readonly string[], reason: Reason) =>
      perform(call, ids, reason, reinforcing),
    penalizeAll: (call: CallContext, ids: readonly string[], penalty: Penalty) =>
      perform(call, ids, penalty, createPenalty(penalty.amount)),
  }
}

/** A useful record was used: this is the only operation that counts as an access. */
const reinforcing: Operation = { action: 'reinforce', uses: 1, rescores: true, apply: reinforce }
const pinning: Operation = {
  action: 'pin',
  uses: 0,
  rescores: false,
  apply: (stored, now) => (stored.pinned ? undefined : pin(stored, now)),
}
/** No refresh moved the importance while the record was pinned. */
const unpinning: Operation = {
  action: 'unpin',
  uses: 0,
  rescores: true,
  apply: (stored, now) => (stored.pinned ? unpin(stored, now) : undefined),
}

function createPenalty(amount: number): Operation {
  return { action: 'decay', uses: 0, rescores: false, apply: (stored, now) => penalize(stored, amount, now) }
}

function noteUses(stored: StoredRecord, uses: number, now: Date) {
  const { access_count: count, last_accessed_at: last } = stored
  return {
    access_count: count + uses,
    last_accessed_at: uses === 0 || (last && last > now) ? last : now,
  }
}

/** Splits the ids of records, in their order, into parts whose records have at most `most` bytes together, or are alone. */
function splitBySize(ids: readonly string[], sizes: ReadonlyMap<string, number>, most: number): string[][] {
  const parts: string[][] = []
  let part: string[] = []
  let bytes = 0
  for (const id of ids) {
    const size = sizes.get(id) ?? 0
    if (part.length > 0 && bytes + size > most) {
      parts.push(part)
      part = []
      bytes = 0
    }
    part.push(id)
    bytes += size
  }
  return part.length === 0 ? parts : [...parts, part]
}
