import type { Database } from '../../db/connection.ts'
import { type CallContext, transact } from '../../db/transaction.ts'
import { type Caller, fullTrust, isAllowed, rankOf, type Via, viaOf } from '../../domain/caller.ts'
import { listHandles } from '../../domain/handles.ts'
import { extractWords } from '../../domain/query-words.ts'
import { searchableText } from '../../domain/searchable-text.ts'
import type { Seal } from '../../domain/tombstone-seal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import { departed } from '../deleted-record.ts'
import { type DepartureRow, departErased } from '../deleted-records.queries.ts'
import { claimAnyRecord, findKnownRecord, mayChange, requireChangeable } from '../record-claim.service.ts'
import { identifiersOf } from '../record-draft.ts'
import { findRecords } from '../records.queries.ts'
import type { ContentRow, StoredRecord } from '../stored-record.ts'
import { presentVia } from '../via.ts'
import { type Derivation, fallingWith } from './descent-closure.ts'
import {
  appendErasures,
  blankAudit,
  blankStatusReasons,
  blankTakenOver,
  deleteAccesses,
  deleteDescentsFrom,
  deleteEdgesOf,
  deleteEmbeddings,
  findContents,
  findDerivations,
  findOpenIds,
  lockForErasure,
  markErased,
  type Rewriting,
  rewriteKept,
} from './erasure.queries.ts'
import type { Erasure, ErasureReceipt } from './erasure.schemas.ts'
import { type Heritage, withoutErased } from './kept-record.ts'
import {
  deleteAnswersAbout,
  thinAnswersAbout,
  thinAnswersOfKept,
  thinCapturesAbout,
} from './stored-answers.queries.ts'
import { insertTombstones, lockTombstones } from './tombstones.queries.ts'

type Resources = { db: Database; clock: Clock; ids: Ids; seal: Seal; textLanguage: string }

export type ErasureService = ReturnType<typeof createErasureService>

/** Ids, each list in order: what goes, and what stays though it rests on something that goes, or names it. */
type Circle = { falling: string[]; kept: string[]; derivations: readonly Derivation[] }
type Testimony = { actor: string; rationale: string; at: Date; via: Via | null }

/** Content goes from wherever it went, whether or not the caller could see it there. */

export function createErasureService({ db, clock, ids, seal, textLanguage }: Resources) {
  async function erase(call: CallContext, id: string, asked: Erasure): Promise<ErasureReceipt> {
    const { actor, rationale, cascade = true, force = false } = asked
    if (force || !cascade) requireAdmin(call.caller)
    if (!seal.keyId) throw new AppError('tombstone_key_missing', 'This server has no key for tombstones.')
    return transact(db, call, async (tx) => {
      await lockTombstones(tx)
      // The clock is read behind the locks, or an entry could be older than what was written before it.
      const tell = () => ({ actor, rationale, at: clock.now(), via: viaOf(call.caller) })
      const known = await findKnownRecord(tx, call.caller, id)
      // Before the lock of all that was derived from it, and for a purged record as well.
      requireChangeable(call.caller, known)
      const isGone = 'departed_at' in known
      if (isGone) refuseErased(known)
      const circle = await lockCircle(tx, known.id, cascade)
      if (!isGone) await claimAnyRecord(tx, call, known.id)
      const told = tell()
      const receipt = await eraseCircle(tx, call, known.id, circle, { ...told, force })
      if (isGone) await markErased(tx, known.id, actor, told.at)
      return receipt
    })
  }

  async function eraseCircle(
    tx: Database,
    call: CallContext,
    id: string,
    circle: Circle,
    { force, ...told }: Testimony & { force: boolean },
  ): Promise<ErasureReceipt> {
    const { falling, kept } = circle
    const erased = await findRecords(tx, falling, fullTrust)
    requireErasable(call.caller, erased, force)
    const derived = falling.filter((each) => each !== id)
    const derivedIds = await findOpenIds(tx, derived, call.caller.trust)
    const keptIds = await findOpenIds(tx, kept, call.caller.trust)
    const tombstoneIds = await insertTombstones(tx, markContents(sealedOf(erased, id), told))
    const relations = await deleteEdgesOf(tx, falling)
    const embeddings = await deleteEmbeddings(tx, falling)
    const accesses = await deleteAccesses(tx, falling)
    await rewrite(tx, circle, erased, told)
    await deleteDescentsFrom(tx, falling)
    await departErased(tx, falling, told)
    await leaveNoWords(tx, falling, told)
    await thinAnswersOfKept(tx, kept)
    const own = erased.some((each) => each.id === id) ? 1 : 0
    const removed = { records: own + derivedIds.length, relations, embeddings, access_rows: accesses }
    const ids = { derived_ids: derivedIds, kept: keptIds, tombstone_ids: tombstoneIds }
    return { ...receiptOf(id, told), removed, ...ids }
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

  /** What has other grounds stays, without this one and without what it took over from it. */
  async function rewrite(
    tx: Database,
    { falling, kept, derivations }: Circle,
    erased: readonly StoredRecord[],
    told: Testimony,
  ): Promise<void> {
    if (kept.length === 0) return
    const ids = new Set(falling)
    const heirs = derivations.filter(({ derived, kind }) => !ids.has(derived) && takesWords(kind))
    const left = await findContents(
      tx,
      heirs.flatMap(({ source }) => (ids.has(source) ? [] : [source])),
    )
    const byId = new Map<string, ContentRow>([...erased, ...left].map((each) => [each.id, each]))
    const rewritings = (await findRecords(tx, kept, fullTrust)).flatMap((stored) => {
      const content = withoutErased(stored, ids, heritageOf(stored.id, heirs, ids, byId))
      return Object.keys(content).length === 0 ? [] : [rewritingOf(stored, { ...stored, ...content })]
    })
    if (rewritings.length > 0) await rewriteKept(tx, rewritings, told, textLanguage)
    const taking = heirs.flatMap(({ derived, source }) => (ids.has(source) ? [derived] : []))
    await blankTakenOver(tx, [...new Set(taking)])
  }

  return { erase }
}

function requireAdmin(caller: Caller): void {
  if (isAllowed(caller, 'admin')) return
  throw new AppError('forbidden', 'force, and cascade false, take the admin permission.')
}

function refuseErased(gone: DepartureRow): void {
  if (gone.kind === 'erased') throw departed(gone, true)
}

/** Locked until nothing has joined it between the look and the lock. */
async function lockCircle(tx: Database, id: string, cascade: boolean): Promise<Circle> {
  for (let before = ''; ; ) {
    const derivations = await findDerivations(tx, id)
    const falling = cascade ? fallingWith(id, derivations) : new Set([id])
    const touched = derivations.filter(({ source }) => falling.has(source)).map(({ derived }) => derived)
    const kept = [...new Set(touched)].filter((each) => !falling.has(each))
    const circle = { falling: [...falling].sort(), kept: kept.sort() }
    const seen = JSON.stringify(circle)
    if (seen === before) return { ...circle, derivations }
    before = seen
    await lockForErasure(tx, [...circle.falling, ...circle.kept])
  }
}

/**
 * The name of an entity that goes only because its last mention does is not refused from now on: whoever mentions it
 * again says so of his own.
 */
function sealedOf(erased: readonly StoredRecord[], id: string): readonly StoredRecord[] {
  return erased.filter((each) => each.id === id || each.type !== 'entity')
}

/** What was made in these ways took over tags, names or a summary of its source. */
function takesWords(kind: Derivation['kind']): boolean {
  return ['capture', 'mention', 'consolidation', 'dream', 'merge', 'fold', 'inherited'].includes(kind)
}

function heritageOf(
  id: string,
  heirs: readonly Derivation[],
  falling: ReadonlySet<string>,
  byId: ReadonlyMap<string, ContentRow>,
): Heritage {
  const own = heirs.filter(({ derived }) => derived === id)
  const contentsOf = (isErased: boolean) =>
    own.flatMap(({ source }) => (falling.has(source) === isErased ? (byId.get(source) ?? []) : []))
  return { erased: contentsOf(true), left: contentsOf(false) }
}

function rewritingOf(stored: StoredRecord, after: StoredRecord): Rewriting {
  const { id, scope, sensitivity, type, payload, tags, provenance, interpretation } = after
  const text = searchableText(payload, tags)
  const { text: words, count } = extractWords(text)
  const known = new Set(listHandles(payload).map(({ digest }) => digest.toString('hex')))
  const lost = listHandles(stored.payload).filter(({ digest }) => !known.has(digest.toString('hex')))
  const marks = new Set(identifiersOf(payload, { scope, sensitivity }).map((each) => JSON.stringify(each)))
  return {
    ...{ id, content: { tags, payload, provenance, interpretation } },
    search: { text: words, words: count, scope, type },
    digests: lost.map(({ digest }) => digest),
    identifiers: identifiersOf(stored.payload, { scope, sensitivity }).filter(
      (each) => !marks.has(JSON.stringify(each)),
    ),
  }
}

/**
 * `force` overrides `never` only where the caller may change the record. The erase is refused as a whole otherwise: a
 * derived record that stayed would still say what the erased one said.
 */
function requireErasable(caller: Caller, erased: readonly StoredRecord[], force: boolean): void {
  const never = erased.filter((each) => each.deletion_policy === 'never')
  const refused = force ? never.filter((each) => !mayChange(caller, each)) : never
  if (refused.length === 0) return
  throw new AppError(
    'deletion_policy_never',
    force
      ? 'A record derived from it alone is never to be deleted, and this key may not change that record.'
      : 'The record, or one derived from it alone, is never to be deleted.',
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
