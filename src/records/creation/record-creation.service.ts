import type { Database } from '../../db/connection.ts'
import { findViolatedConstraint } from '../../db/failures.ts'
import { createSharedTransactions, type Guard, maxSharedText } from '../../db/shared-transactions.ts'
import { type CallContext, type Transaction, transact } from '../../db/transaction.ts'
import { findReservedError } from '../../domain/edges/reserved-edges.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import type { Policies } from '../../domain/lifecycle/lifecycle.ts'
import type { Caller, Sensitivity } from '../../domain/trust/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError, mapOutcomes } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import { mapInTurns } from '../../kernel/turns.ts'
import type { PoliciesService } from '../../policies/index.ts'
import { presentCreated } from '../answers/record-answer.ts'
import { createErasedContentError } from '../erasure/tombstones.service.ts'
import type { NewRecord, WrittenRecord } from '../records.schemas.ts'
import type { Draft } from '../stored-record.ts'
import { rejectConflicts } from './creation-checks.service.ts'
import { createRecordExistsError } from './creation-errors.ts'
import { type DraftOutcome, isDraft } from './draft-outcome.ts'
import { type InsertOutcome, insertRecords } from './record-creation.queries.ts'
import { createInvalidError, draftRecord, findNewPayloadFaults, refreshWriteTime } from './record-draft.ts'

/** What everything that stores new records needs. */
export type WritingResources = {
  ids: Ids
  seal: Seal
  textLanguage: string
  policies: Pick<PoliciesService, 'getAll'>
}

/** The same for requests, which may name no sensitivity. */
export type CreationResources = WritingResources & {
  db: Database
  clock: Clock
  defaultSensitivity: Sensitivity
}

/** The result for one record of a batch. */
type CreationOutcome = WrittenRecord | AppError

export function createRecordCreation(resources: CreationResources) {
  const { db, clock, ids, defaultSensitivity, textLanguage, seal, policies } = resources
  const insertWithOthers = createSharedTransactions<Draft, DraftOutcome>({
    begin: (work) => transact(db, { readsFirst: true }, work),
    runAlone: async (draft, tx) => (await insertNow(tx ?? db, [draft]))[0] ?? draft,
    runTogether: (drafts, tx) => insertNow(tx ?? db, drafts),
  })

  async function create(call: CallContext, given: NewRecord): Promise<WrittenRecord> {
    return takeOnly(await createBatch(call, [given]))
  }

  /** Returns how a record is stored: with those of other requests, or in a transaction of its own. */
  async function prepareCreate({ caller }: CallContext, given: NewRecord) {
    const known = await policies.getAll(db)
    const drafted = draft(caller, given, known, clock.now())
    if (drafted instanceof AppError) throw drafted
    if (!isIndependent(drafted))
      return { store: async (joined: CallContext) => takeOnly(await storeDrafts(joined, [drafted])) }
    return {
      share: (guard?: Guard<DraftOutcome>) => insertWithOthers(drafted, guard),
      present: (stored: DraftOutcome) =>
        isDraft(stored) ? presentDraft(caller, stored, clock.now()) : stored,
    }
  }

  /** Stores each record alone: a record that cannot be stored does not affect the others. */
  async function createBatch(
    call: CallContext,
    given: readonly (NewRecord | AppError)[],
  ): Promise<CreationOutcome[]> {
    const known = await policies.getAll(call.tx ?? db)
    const now = clock.now()
    return storeDrafts(call, await mapInTurns(given, (each) => draft(call.caller, each, known, now)))
  }

  /** Stores drafts of other rooms, which may set more fields than a create. The same checks apply. */
  async function storeDrafts(call: CallContext, drafts: readonly DraftOutcome[]): Promise<CreationOutcome[]> {
    for (let attempt = 1; ; attempt++) {
      const checked = await rejectConflicts(call.tx ?? db, call.caller, seal, drafts)
      try {
        const stored = await insert(call.tx, checked)
        const now = clock.now()
        return mapOutcomes(stored, (each) => presentDraft(call.caller, each, now))
      } catch (error) {
        const conflict = translateConflict(error)
        if (!conflict) throw error
        // Another writer stored the same between the check and the insert. A second check finds which record conflicts.
        // Inside a larger transaction no statement can follow a failed one.
        if (call.tx || attempt === 3) throw conflict
      }
    }
  }

  /** Outside a transaction, a record that depends on no other shares its statement with those of other requests. */
  async function insert(
    tx: Transaction | undefined,
    drafts: readonly DraftOutcome[],
  ): Promise<DraftOutcome[]> {
    const [only] = drafts
    const mayShare = !tx && drafts.length === 1 && only && isDraft(only) && isIndependent(only)
    return mayShare ? [await insertWithOthers(only)] : insertNow(tx ?? db, drafts)
  }

  async function insertNow(conn: Database, drafts: readonly DraftOutcome[]): Promise<DraftOutcome[]> {
    const now = clock.now()
    const current = mapOutcomes(drafts, (each) => refreshWriteTime(each, now))
    const stored = await insertRecords(conn, current.filter(isDraft), { textLanguage, seal })
    return mapOutcomes(current, (each) => rejectUnstored(each, stored))
  }

  /** Stores all records or none. Throws the error of the first record that cannot be stored. */
  async function createAll(call: CallContext, given: readonly NewRecord[]): Promise<WrittenRecord[]> {
    return transact(db, call, async (tx) => {
      const outcomes = await createBatch({ ...call, tx }, given)
      return outcomes.map((outcome, index) => {
        if (outcome instanceof AppError) throw outcome.at(`/records/${index}`)
        return outcome
      })
    })
  }

  function draft(caller: Caller, given: NewRecord | AppError, known: Policies, now: Date) {
    if (given instanceof AppError) return given
    const refusal = findReservedError(given.relations)
    if (refusal) return refusal
    const faults = findNewPayloadFaults(given.payload)
    if (faults.length > 0) return createInvalidError(faults)
    try {
      return draftRecord(given, { caller, now, id: ids.next(), defaultSensitivity, policies: known })
    } catch (error) {
      if (error instanceof AppError) return error
      throw error
    }
  }

  return { create, prepareCreate, createBatch, createAll, storeDrafts }
}

function takeOnly([outcome]: readonly CreationOutcome[]): WrittenRecord {
  if (!outcome || outcome instanceof AppError) throw outcome
  return outcome
}

/**
 * Whether the record can share a statement with those of others: nothing that they do can make it fail, and it does not
 * keep them waiting. An id of the client may be in use by a transaction that takes long.
 */
function isIndependent({ hasClientId, searchText, namedSources, ...draft }: Draft): boolean {
  const links = [draft.edges, draft.identifiers, draft.descents, namedSources.ids]
  return !hasClientId && searchText.length <= maxSharedText && links.every((each) => each.length === 0)
}

function rejectUnstored(draft: Draft, { ids, erasedIds }: InsertOutcome): DraftOutcome {
  const { id } = draft.row
  if (ids.has(id)) return draft
  return erasedIds.has(id) ? createErasedContentError() : createRecordExistsError(id)
}

function presentDraft(caller: Caller, draft: Draft, now: Date): WrittenRecord {
  return presentCreated(caller, draft, draft.edges, now)
}

function translateConflict(error: unknown): AppError | undefined {
  switch (findViolatedConstraint(error)) {
    case 'entity_identifiers_taken':
      return new AppError(
        'identifier_taken',
        'Another entity of this scope and sensitivity has just been given one of these identifiers.',
      )
    case 'relations_target':
      return new AppError('record_not_found', 'A relation names a record that has just been removed.')
    default:
      return undefined
  }
}
