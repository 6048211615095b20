import type { Database } from '../../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { type Caller, describeVia, fullTrust, getRank, isAllowed } from '../../domain/trust/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import { type Departure, deleteErased } from '../deletion/departures.queries.ts'
import { createDepartedError } from '../deletion/gone-errors.ts'
import {
  findRecordOrDeparture,
  loadAnyForUpdate,
  mayChange,
  requireChangeable,
} from '../reading/record-loading.service.ts'
import { findRecords } from '../records.queries.ts'
import type { StoredRecord } from '../stored-record.ts'
import { presentVia } from '../via.ts'
import { computeErasedIds, type Derivation } from './erased-ids.ts'
import {
  clearAuditText,
  clearStatusReasons,
  deleteDescentsOf,
  deleteEdgesOf,
  deleteRowsOf,
  type ErasureEntry,
  findDerivations,
  findReadableIds,
  insertEraseEntries,
  lockForErasure,
  updatePurgedToErased,
} from './erasure.queries.ts'
import type { Erasure, ErasureReceipt } from './erasure.schemas.ts'
import { updateKept } from './kept-records.service.ts'
import { clearAppliedChanges, deleteEffects } from './run-effects.queries.ts'
import { clearSharedReasons } from './shared-reasons.queries.ts'
import { clearMessageAnswers, reduceAnswers, removeFromAnswers } from './stored-answers.service.ts'
import { insertTombstones, lockTombstonesExclusive } from './tombstones.queries.ts'

type Resources = { db: Database; clock: Clock; ids: Ids; seal: Seal; textLanguage: string }

export type ErasureService = ReturnType<typeof createErasureService>

/**
 * The requested record, the ids to erase, and the ids of kept records that have an erased record as a source. Both lists are
 * sorted.
 */
type ErasurePlan = {
  rootId: string
  erasedIds: string[]
  keptIds: string[]
  derivations: readonly Derivation[]
}

/** An erase removes the content from every place that has it, including records that the caller does not see. */
export function createErasureService({ db, clock, ids, seal, textLanguage }: Resources) {
  async function erase(call: CallContext, id: string, input: Erasure): Promise<ErasureReceipt> {
    const { actor, rationale, cascade = true, force = false } = input
    if (force || !cascade) requireAdmin(call.caller)
    if (!seal.keyId) throw new AppError('tombstone_key_missing', 'The server has no key for tombstones.')
    return transact(db, call, async (tx) => {
      await lockTombstonesExclusive(tx)
      const known = await findRecordOrDeparture(tx, call.caller, id)
      // Checked before any derived record is locked. Also applies to a purged record.
      requireChangeable(call.caller, known)
      const isPurged = 'departed_at' in known
      if (isPurged) requireNotErased(known)
      const plan = await lockErasurePlan(tx, known.id, cascade)
      if (!isPurged) await loadAnyForUpdate(tx, call, known.id)
      // The clock is read after the locks: otherwise the entry could be older than entries that are already written.
      const entry = { actor, rationale, at: clock.now(), via: describeVia(call.caller) }
      return executePlan(tx, call, plan, { ...entry, force })
    })
  }

  async function executePlan(
    tx: Transaction,
    call: CallContext,
    plan: ErasurePlan,
    { force, ...entry }: ErasureEntry & { force: boolean },
  ): Promise<ErasureReceipt> {
    const { rootId, erasedIds } = plan
    const { trust } = call.caller
    const erased = await findRecords(tx, erasedIds, fullTrust)
    requireErasable(call.caller, erased, force)
    const derived = erasedIds.filter((each) => each !== rootId)
    const derivedIds = await findReadableIds(tx, derived, trust)
    const keptIds = await findReadableIds(tx, plan.keptIds, trust)
    const tombstones = draftTombstones(findRecordsToSeal(erased, rootId), entry)
    const tombstoneIds = await insertTombstones(tx, tombstones, trust)
    const reportedIds = [rootId, ...derivedIds]
    const quotingIds = await clearSharedReasons(tx, erasedIds)
    const relations = await deleteEdgesOf(tx, erasedIds, trust)
    const embeddings = await deleteRowsOf(tx, 'embeddings', erasedIds, reportedIds)
    const accesses = await deleteRowsOf(tx, 'access_log', erasedIds, reportedIds)
    const lost = { ...plan, lostIds: erasedIds, lost: erased }
    await updateKept(tx, lost, { ...entry, rationale: 'a source was erased' }, textLanguage)
    await deleteDescentsOf(tx, erasedIds)
    await deleteEffects(tx, plan)
    await clearAppliedChanges(tx, erasedIds)
    await deleteErased(tx, erasedIds, entry)
    await updatePurgedToErased(tx, erasedIds, entry)
    await clearWords(tx, erasedIds, entry)
    await clearMessageAnswers(tx, { ids: erasedIds, conversations: listConversations(erased) })
    await reduceAnswers(tx, [...plan.keptIds, ...quotingIds])
    const own = erased.some((each) => each.id === rootId) ? 1 : 0
    const removed = { records: own + derivedIds.length, relations, embeddings, access_rows: accesses }
    const ids = { derived_ids: derivedIds, kept: keptIds, tombstone_ids: tombstoneIds }
    return { ...presentReceipt(rootId, entry), removed, ...ids }
  }

  /** One tombstone for each content, because two of the records may have the same content. */
  function draftTombstones(erased: readonly StoredRecord[], { actor, at, via }: ErasureEntry) {
    const { keyId } = seal
    if (!keyId) return []
    // Sorted, so that of two records with the same content the more sensitive one is used.
    const inOrder = [...erased].sort((left, right) => getRank(left.sensitivity) - getRank(right.sensitivity))
    const sealed = inOrder.flatMap(({ scope, sensitivity, payload }) => {
      const digests = [seal.digest(scope, payload), seal.summaryDigest(scope, payload)]
      return digests.flatMap((digest) => (digest ? [{ scope, sensitivity, digest }] : []))
    })
    const unique = new Map(
      sealed.map((each) => [JSON.stringify([each.scope, each.digest.toString('hex')]), each]),
    )
    return [...unique.values()].map((each) => ({
      ...each,
      id: ids.next(),
      key_id: keyId,
      created_at: at,
      actor,
      via: via && JSON.stringify(via),
    }))
  }

  return { erase }
}

function requireAdmin(caller: Caller): void {
  if (isAllowed(caller, 'admin')) return
  throw new AppError('forbidden', 'force and cascade: false need the permission admin.')
}

function requireNotErased(departure: Departure): void {
  if (departure.kind === 'erased') throw createDepartedError(departure, { isReadable: true })
}

/** Finds and locks the records, and repeats until no other record was derived between the two. */
async function lockErasurePlan(tx: Transaction, rootId: string, cascade: boolean): Promise<ErasurePlan> {
  for (let before = ''; ; ) {
    const derivations = await findDerivations(tx, rootId)
    const erased = cascade ? computeErasedIds(rootId, derivations) : new Set([rootId])
    const touched = derivations.filter(({ source }) => erased.has(source)).map(({ derived }) => derived)
    const kept = [...new Set(touched)].filter((each) => !erased.has(each))
    const plan = { rootId, erasedIds: [...erased].sort(), keptIds: kept.sort() }
    const seen = JSON.stringify(plan)
    if (seen === before) return { ...plan, derivations }
    before = seen
    await lockForErasure(tx, [...plan.erasedIds, ...plan.keptIds])
  }
}

/**
 * No tombstone for an entity that is erased only with its last mention: the same name may be mentioned again by another
 * source.
 */
function findRecordsToSeal(erased: readonly StoredRecord[], rootId: string): readonly StoredRecord[] {
  return erased.filter((each) => each.id === rootId || each.type !== 'entity')
}

/**
 * `force` overrides `never` only where the caller may change the record. The erase is refused as a whole otherwise: a
 * derived record that stayed would still say what the erased one said.
 */
export function requireErasable(caller: Caller, erased: readonly StoredRecord[], force: boolean): void {
  const never = erased.filter((each) => each.deletion_policy === 'never')
  const refused = force ? never.filter((each) => !mayChange(caller, each)) : never
  if (refused.length === 0) return
  throw new AppError(
    'deletion_policy_never',
    force
      ? 'The deletion policy of a record derived from it alone is never, and this key may not change that record.'
      : 'The deletion policy of the record, or of one derived from it alone, is never.',
  )
}

async function clearWords(tx: Transaction, ids: readonly string[], entry: ErasureEntry): Promise<void> {
  await clearAuditText(tx, ids)
  await clearStatusReasons(tx, ids)
  await insertEraseEntries(tx, ids, entry)
  await removeFromAnswers(tx, ids)
}

function listConversations(erased: readonly StoredRecord[]) {
  return erased.flatMap(({ scope, payload }) =>
    payload.kind === 'episodic' && payload.conversation
      ? [{ scope, conversation: payload.conversation.id }]
      : [],
  )
}

function presentReceipt(id: string, { actor, at, via }: ErasureEntry) {
  return { id, erased_at: at.toISOString(), actor, ...presentVia(via) }
}
