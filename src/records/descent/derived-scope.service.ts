import type { Transaction } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { type Caller, describeVia, fullTrust } from '../../domain/trust/caller.ts'
import { writeChange } from '../change/record-change.service.ts'
import { purgeRecords } from '../deletion/departures.queries.ts'
import { forgetRecord } from '../deletion/restoration.ts'
import { computeErasedIds } from '../erasure/erased-ids.ts'
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
  const all = await findDerivations(tx, moved.id)
  const derivedIds = [...new Set(all.map(({ derived }) => derived))]
  const inScope = new Set(await findInScope(tx, derivedIds, moved.scope))
  if (inScope.size === 0) return
  const derivations = all.filter(({ derived }) => inScope.has(derived))
  const leaving = computeErasedIds(moved.id, derivations)
  const alone = computeErasedIds(
    moved.id,
    derivations.map((each) => ({ ...each, quotesAllSources: false })),
  )
  await lockRecords(tx, [...inScope])
  const found = await findRecords(
    tx,
    [...leaving].filter((id) => id !== moved.id),
    fullTrust,
  )
  const following = found.filter(({ id }) => alone.has(id))
  const refused = await findErasedRecords(
    tx,
    context.seal,
    following.map((each) => ({ ...each, scope })),
  )
  const purged = found.filter(({ id }) => !alone.has(id) || refused.has(id))
  requireErasable(context.caller, purged, false)
  const lostIds = [...leaving]
  const keptIds = derivations.flatMap(({ derived, source }) =>
    leaving.has(source) && !leaving.has(derived) ? [derived] : [],
  )
  const entry = { actor: context.caller.name, rationale, at: context.now, via: describeVia(context.caller) }
  const lost = { lostIds, lost: [moved, ...found], keptIds: [...new Set(keptIds)], derivations }
  await updateKept(tx, lost, entry, context.textLanguage)
  await deleteDescentsBetween(tx, lostIds, keptIds)
  for (const each of following) if (!refused.has(each.id)) await follow(tx, each, scope, context)
  await purge(tx, purged, context)
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
