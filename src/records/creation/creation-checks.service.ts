import type { Database } from '../../db/connection.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { type Caller, isOpenTo, type Sensitivity } from '../../domain/trust/caller.ts'
import { type AppError, mapOutcomes } from '../../kernel/errors.ts'
import { createErasedContentError, findErasedRecords } from '../erasure/tombstones.service.ts'
import type { Draft, Identifier } from '../stored-record.ts'
import {
  createIdentifierTakenError,
  createMissingTargetError,
  createRecordExistsError,
  createTargetAboveCeilingError,
} from './creation-errors.ts'
import { type DraftOutcome, isDraft } from './draft-outcome.ts'
import { resolveDraftDescents } from './named-sources.service.ts'
import { findTakenIdentifiers, findUsedIds, findVisibleTargets } from './record-creation.queries.ts'

/** The checks of new records before they are stored. */

/** Rejects repeated ids, used ids, erased content, taken identifiers and edges without a target. */
export async function rejectConflicts(
  db: Database,
  caller: Caller,
  seal: Seal,
  drafts: readonly DraftOutcome[],
) {
  const unique = await rejectLinkedUnstorable(db, seal, rejectRepeatedIds(drafts))
  const identified = await rejectTakenIdentifiers(db, unique)
  return rejectDanglingEdges(db, caller, identified)
}

function rejectRepeatedIds(drafts: readonly DraftOutcome[]): DraftOutcome[] {
  const seen = new Set<string>()
  return mapOutcomes(drafts, (each) => {
    if (seen.has(each.row.id)) return createRecordExistsError(each.row.id)
    seen.add(each.row.id)
    return each
  })
}

/**
 * The insert itself rejects erased content and used ids. For records that others of the batch link to this must be known before:
 * otherwise those edges would lead to the record that already has the id, which the caller may not see.
 */
async function rejectLinkedUnstorable(db: Database, seal: Seal, drafts: readonly DraftOutcome[]) {
  const linked = new Set(drafts.filter(isDraft).flatMap((each) => each.edges.map((edge) => edge.target_id)))
  const targets = drafts.filter(isDraft).flatMap(({ row }) => (linked.has(row.id) ? [row] : []))
  if (targets.length === 0) return [...drafts]
  const used = await findUsedIds(
    db,
    targets.map(({ id }) => id),
  )
  const erasedIds = await findErasedRecords(db, seal, targets)
  return mapOutcomes(drafts, (each) => {
    if (erasedIds.has(each.row.id)) return createErasedContentError()
    return used.has(each.row.id) ? createRecordExistsError(each.row.id) : each
  })
}

/** Rejects records with an identifier that is taken. Of two records with one identifier the first gets it. */
export async function rejectTakenIdentifiers(db: Database, drafts: readonly DraftOutcome[]) {
  const identifiers = drafts.filter(isDraft).flatMap((each) => each.identifiers)
  if (identifiers.length === 0) return [...drafts]
  const taken = new Set((await findTakenIdentifiers(db, identifiers)).map(formatIdentifier))
  return mapOutcomes(drafts, (each) => {
    const own = new Set<string>()
    for (const [index, identifier] of each.identifiers.entries()) {
      const key = formatIdentifier(identifier)
      if (taken.has(key) || own.has(key)) return createIdentifierTakenError(index)
      own.add(key)
    }
    for (const key of own) taken.add(key)
    return each
  })
}

function formatIdentifier({ scope, sensitivity, namespace, value }: Identifier): string {
  return JSON.stringify([scope, sensitivity, namespace, value])
}

/** Rejecting one record can leave the edge of another without a target, so those that link to it are checked again. */
async function rejectDanglingEdges(db: Database, caller: Caller, drafts: readonly DraftOutcome[]) {
  const ids = new Set(drafts.filter(isDraft).flatMap(findReferencedIds))
  const found = ids.size === 0 ? [] : await findVisibleTargets(db, [...ids], caller.trust)
  const sensitivityOf = new Map(found.map((target) => [target.id, target.sensitivity]))
  const checked = resolveDraftDescents(drafts, caller, found)
  const siblings = new Set(checked.filter(isDraft).map((each) => each.row.id))
  const linking = listLinkingPlaces(checked, siblings)
  let places = new Set(checked.keys())
  while (places.size > 0) {
    const rejected = rejectEach(checked, places, (each) => checkEdges(each, siblings, sensitivityOf, caller))
    for (const id of rejected) siblings.delete(id)
    places = new Set(rejected.flatMap((id) => [...(linking.get(id) ?? [])]))
  }
  return checked
}

/** Replaces the records at some places that have an error by it, and returns their ids. */
function rejectEach(
  checked: DraftOutcome[],
  places: Iterable<number>,
  check: (draft: Draft) => AppError | undefined,
): string[] {
  const rejected: string[] = []
  for (const place of places) {
    const each = checked[place]
    const error = each && isDraft(each) ? check(each) : undefined
    if (!each || !isDraft(each) || !error) continue
    checked[place] = error
    rejected.push(each.row.id)
  }
  return rejected
}

/** The places of the records that link to each of the records that are stored with them. */
function listLinkingPlaces(drafts: readonly DraftOutcome[], siblings: ReadonlySet<string>) {
  const places = new Map<string, Set<number>>()
  for (const [place, each] of drafts.entries())
    for (const { target_id: target } of isDraft(each) ? each.edges : [])
      if (siblings.has(target)) places.set(target, (places.get(target) ?? new Set()).add(place))
  return places
}

function findReferencedIds({ edges, namedSources }: Draft): string[] {
  return [...edges.map((edge) => edge.target_id), ...namedSources.ids]
}

function checkEdges(
  { edges }: Draft,
  siblings: ReadonlySet<string>,
  sensitivityOf: ReadonlyMap<string, Sensitivity>,
  caller: Caller,
): AppError | undefined {
  for (const [index, { target_id: target }] of edges.entries()) {
    const sensitivity = sensitivityOf.get(target)
    if (sensitivity === undefined && !siblings.has(target)) return createMissingTargetError(index)
    if (sensitivity !== undefined && !isOpenTo(caller.trust, sensitivity))
      return createTargetAboveCeilingError(index)
  }
  return undefined
}
