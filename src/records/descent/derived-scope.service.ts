import type { Transaction } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { type Caller, describeVia, fullTrust } from '../../domain/trust/caller.ts'
import { writeChange } from '../change/record-change.service.ts'
import { purgeRecords } from '../deletion/departures.queries.ts'
import { forgetRecord } from '../deletion/restoration.ts'
import { computeErasedIds, type Derivation } from '../erasure/erased-ids.ts'
import { findDerivations } from '../erasure/erasure.queries.ts'
import { requireErasable } from '../erasure/erasure.service.ts'
import { updateKept } from '../erasure/kept-records.service.ts'
import { findErasedRecords } from '../erasure/tombstones.service.ts'
import { findRecords, lockRecords } from '../records.queries.ts'
import type { StoredRecord } from '../stored-record.ts'
import { deleteDescentsBetween, findInScope } from './derived-scope.queries.ts'

export type MoveContext = { caller: Caller; now: Date; textLanguage: string; seal: Seal }

const rationale = 'a source was moved to another scope'

/**
 * After a record left its scope, no record of that scope may repeat what only this one said, not even a record that the caller
 * does not see. Records that were made from it alone move too. Records that quote it together with others are purged. All
 * others lose the words that came from it. `moved` is the record as it was. Call it in a transaction that holds the tombstones
 * alone: records are made from others only while they are shared.
 */
export async function moveDerived(
  tx: Transaction,
  moved: StoredRecord,
  scope: string,
  context: MoveContext,
): Promise<void> {
  const derivations = await findDerivationsInScope(tx, moved)
  if (derivations.length === 0) return
  const leavingIds = computeErasedIds(moved.id, derivations)
  const keptIds = derivations.flatMap(({ derived, source }) =>
    leavingIds.has(source) && !leavingIds.has(derived) ? [derived] : [],
  )
  await lockRecords(tx, [...new Set(derivations.map(({ derived }) => derived))])
  const otherIds = [...leavingIds].filter((id) => id !== moved.id)
  const leaving = await findRecords(tx, otherIds, fullTrust)
  const following = await chooseFollowing(
    tx,
    leaving,
    { movedId: moved.id, derivations, scope },
    context.seal,
  )
  const followingIds = new Set(following.map(({ id }) => id))
  const purged = leaving.filter(({ id }) => !followingIds.has(id))
  requireErasable(context.caller, purged, false)
  const entry = { actor: context.caller.name, rationale, at: context.now, via: describeVia(context.caller) }
  const lostIds = [...leavingIds]
  const lost = { lostIds, lost: [moved, ...leaving], keptIds: [...new Set(keptIds)], derivations }
  await updateKept(tx, lost, entry, context.textLanguage)
  await deleteDescentsBetween(tx, lostIds, keptIds)
  for (const each of following) await follow(tx, each, scope, context)
  await purge(tx, purged, context)
}

/** What was made from a record, directly or not, and is in its scope. */
async function findDerivationsInScope(tx: Transaction, { id, scope }: StoredRecord): Promise<Derivation[]> {
  const all = await findDerivations(tx, id)
  const derivedIds = [...new Set(all.map(({ derived }) => derived))]
  const inScope = new Set(await findInScope(tx, derivedIds, scope))
  return all.filter(({ derived }) => inScope.has(derived))
}

type Move = { movedId: string; derivations: readonly Derivation[]; scope: string }

/** Those of the leaving records that were made from the moved one alone, and whose content was not erased from the new scope. */
async function chooseFollowing(
  tx: Transaction,
  leaving: readonly StoredRecord[],
  { movedId, derivations, scope }: Move,
  seal: Seal,
): Promise<StoredRecord[]> {
  const aloneIds = computeErasedIds(
    movedId,
    derivations.map((each) => ({ ...each, quotesAllSources: false })),
  )
  const alone = leaving.filter(({ id }) => aloneIds.has(id))
  const erased = await findErasedRecords(
    tx,
    seal,
    alone.map((each) => ({ ...each, scope })),
  )
  return alone.filter(({ id }) => !erased.has(id))
}

async function follow(
  tx: Transaction,
  stored: StoredRecord,
  scope: string,
  { caller, now, textLanguage }: MoveContext,
): Promise<void> {
  await writeChange(tx, stored, {
    now,
    textLanguage,
    rationale,
    action: 'revise',
    actor: caller.name,
    record: { scope },
    changes: { scope: [stored.scope, scope] },
  })
}

/** Purges at once, so that no reader of the scope can still read or restore the records. */
async function purge(
  tx: Transaction,
  records: readonly StoredRecord[],
  { caller, now, textLanguage }: MoveContext,
): Promise<void> {
  for (const stored of records) {
    await writeChange(tx, stored, {
      now,
      textLanguage,
      rationale,
      action: 'delete',
      actor: caller.name,
      ...forgetRecord(caller.name, now, now),
    })
  }
  await purgeRecords(
    tx,
    records.map(({ id }) => id),
    now,
  )
}
