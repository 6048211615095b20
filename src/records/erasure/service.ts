import type { Database } from '../../db/connection.ts'
import { type Call, transact } from '../../db/transaction.ts'
import { type Caller, everything, isAllowed, rankOf, type Via, viaOf } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import { writeChange } from '../changing/service.ts'
import { claimAnyRecord, findKnownRecord } from '../claiming/service.ts'
import { departed } from '../departures/departed.ts'
import { type DepartureRow, departErased } from '../departures/queries.ts'
import { findRecords } from '../queries.ts'
import type { StoredRecord } from '../rows.ts'
import { insertTombstones, lockTombstones } from '../tombstones/queries.ts'
import type { Seal } from '../tombstones/seal.ts'
import { presentVia } from '../via.ts'
import { fallingWith, forgetSources } from './derivation.ts'
import {
  appendErasures,
  blankAudit,
  blankStatusReasons,
  deleteAccesses,
  deleteAnswersAbout,
  deleteEdgesOf,
  deleteEmbeddings,
  findDerivations,
  findOpenIds,
  lockForErasure,
  markErased,
  thinAnswersAbout,
  thinCapturesAbout,
} from './queries.ts'
import type { Erasure, ErasureReceipt } from './schemas.ts'

type Resources = { db: Database; clock: Clock; ids: Ids; seal: Seal; textLanguage: string }

export type ErasureService = ReturnType<typeof createErasureService>

/** Ids, each list in order: what goes, and what stays though it was derived from something that goes. */
type Circle = { falling: string[]; bereft: string[] }
type Testimony = { actor: string; rationale: string; at: Date; via: Via | null }

/** Content goes from wherever it went, whether or not the caller could see it there. */

export function createErasureService({ db, clock, ids, seal, textLanguage }: Resources) {
  async function erase(call: Call, id: string, asked: Erasure): Promise<ErasureReceipt> {
    const { actor, rationale, cascade = true, force = false } = asked
    if (force || !cascade) requireAdmin(call.caller)
    if (!seal.keyId) throw new AppError('tombstone_key_missing', 'This server has no key for tombstones.')
    return transact(db, call, async (tx) => {
      await lockTombstones(tx)
      // The clock is read behind the locks, or an entry could be older than what was written before it.
      const tell = () => ({ actor, rationale, at: clock.now(), via: viaOf(call.caller) })
      const known = await findKnownRecord(tx, call.caller, id)
      if ('departed_at' in known) return erasePurged(tx, known, tell())
      const circle = await lockCircle(tx, known.id, cascade)
      await claimAnyRecord(tx, call, known.id)
      return eraseCircle(tx, call, known.id, circle, { ...tell(), force })
    })
  }

  async function eraseCircle(
    tx: Database,
    call: Call,
    id: string,
    { falling, bereft }: Circle,
    { force, ...told }: Testimony & { force: boolean },
  ): Promise<ErasureReceipt> {
    const erased = await findRecords(tx, falling, everything)
    requireErasable(erased, force)
    const derived = falling.filter((each) => each !== id)
    const derivedIds = await findOpenIds(tx, derived, call.caller.trust)
    const tombstoneIds = await insertTombstones(tx, markContents(erased, told))
    const relations = await deleteEdgesOf(tx, falling)
    const embeddings = await deleteEmbeddings(tx, falling)
    const accesses = await deleteAccesses(tx, falling)
    await bereave(tx, bereft, new Set(falling), told)
    await departErased(tx, falling, told)
    await leaveNoWords(tx, falling, told)
    const removed = { records: 1 + derivedIds.length, relations, embeddings, access_rows: accesses }
    return { ...receiptOf(id, told), removed, derived_ids: derivedIds, tombstone_ids: tombstoneIds }
  }

  /** One tombstone for each content, though two of the records may say the same. */
  function markContents(erased: readonly StoredRecord[], { actor, at, via }: Testimony) {
    const { keyId } = seal
    if (!keyId) return []
    // Of two with one content the most sensitive comes last, and counts.
    const inOrder = [...erased].sort((left, right) => rankOf(left.sensitivity) - rankOf(right.sensitivity))
    const marks = inOrder.flatMap(({ scope, sensitivity, payload }) => {
      const digest = seal.digest(scope, payload)
      return digest ? [{ scope, sensitivity, digest }] : []
    })
    const unique = new Map(
      marks.map((mark) => [JSON.stringify([mark.scope, mark.digest.toString('hex')]), mark]),
    )
    return [...unique.values()].map((mark) => ({
      ...{ ...mark, id: ids.next(), key_id: keyId, created_at: at, actor },
      via: via && JSON.stringify(via),
    }))
  }

  /** What has other evidence stays, without this. */
  async function bereave(
    tx: Database,
    bereft: readonly string[],
    erased: ReadonlySet<string>,
    { actor, at }: Testimony,
  ): Promise<void> {
    for (const stored of await findRecords(tx, bereft, everything)) {
      await writeChange(tx, stored, {
        ...{ action: 'revise', actor, rationale: 'a source was erased', now: at, textLanguage },
        content: forgetSources(stored, erased),
      })
    }
  }

  /** Its row is gone, but its log still says what it said. */
  async function erasePurged(tx: Database, gone: DepartureRow, told: Testimony): Promise<ErasureReceipt> {
    if (gone.kind === 'erased') throw departed(gone, true)
    await markErased(tx, gone.id, told.actor, told.at)
    await leaveNoWords(tx, [gone.id], told)
    const removed = { records: 0, relations: 0, embeddings: 0, access_rows: 0 }
    return { ...receiptOf(gone.id, told), removed, derived_ids: [], tombstone_ids: [] }
  }

  return { erase }
}

function requireAdmin(caller: Caller): void {
  if (isAllowed(caller, 'admin')) return
  throw new AppError('forbidden', 'force, and cascade false, take the admin permission.')
}

/** Locked until nothing has joined it between the look and the lock. */
async function lockCircle(tx: Database, id: string, cascade: boolean): Promise<Circle> {
  for (let before = ''; ; ) {
    const derivations = await findDerivations(tx, id)
    const falling = cascade ? fallingWith(id, derivations) : new Set([id])
    const touched = derivations.filter(({ source }) => falling.has(source)).map(({ derived }) => derived)
    const bereft = [...new Set(touched)].filter((each) => !falling.has(each))
    const circle = { falling: [...falling].sort(), bereft: bereft.sort() }
    const seen = JSON.stringify(circle)
    if (seen === before) return circle
    before = seen
    await lockForErasure(tx, [...circle.falling, ...circle.bereft])
  }
}

function requireErasable(erased: readonly StoredRecord[], force: boolean): void {
  const kept = erased.filter((each) => each.deletion_policy === 'never')
  if (force || kept.length === 0) return
  throw new AppError(
    'deletion_policy_never',
    'The record, or one derived from it alone, is never to be deleted.',
  )
}

async function leaveNoWords(tx: Database, ids: readonly string[], told: Testimony): Promise<void> {
  await blankAudit(tx, ids)
  await blankStatusReasons(tx, ids)
  await appendErasures(tx, ids, told)
  await deleteAnswersAbout(tx, ids)
  await thinAnswersAbout(tx, ids)
  await thinCapturesAbout(tx, ids)
}

function receiptOf(id: string, { actor, at, via }: Testimony) {
  return { id, erased_at: at.toISOString(), actor, ...presentVia(via) }
}
