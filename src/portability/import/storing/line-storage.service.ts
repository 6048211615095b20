import type { Transaction } from '../../../db/transaction.ts'
import type { Seal } from '../../../domain/identity/tombstone-seal.ts'
import { type Caller, describeVia, isAllowed } from '../../../domain/trust/caller.ts'
import { hasFullTrust } from '../../../domain/trust/trust.ts'
import { AppError } from '../../../kernel/errors.ts'
import {
  createErasedContentError,
  type Draft,
  explainMissing,
  insertRecords,
  rejectTakenIdentifiers,
} from '../../../records/index.ts'
import { type ImportedCopy, isForeign, toStorable } from '../drafting/imported-draft.ts'
import { compareAppended, type KnownAs } from './appended-messages.service.ts'
import { storeEdges } from './edge-storage.service.ts'
import {
  findExisting,
  findTakenPlaces,
  type HandlePlace,
  insertDescents,
  insertHistories,
} from './import.queries.ts'
import { listDescents, resolveDescent } from './import-descent.service.ts'
import type { ImportContext, LooseEdge } from './import-edges.queries.ts'
import { insertVectors, registerModels } from './import-vectors.queries.ts'
import { toHistory } from './imported-history.ts'
import {
  compareRecords,
  createRecordExistsError,
  type LineOutcome,
  type LineOutcomes,
} from './record-differences.ts'

type Resources = { seal: Seal; textLanguage: string }

/** `loose`: edges of a stored record that the line gives and whose target is missing. They are not stored. */
export type StoredLines = { outcomes: LineOutcome[]; loose: LooseEdge[]; knownAs: KnownAs }

/**
 * Returns a function that stores copies with different ids in one transaction and returns their outcomes in order.
 */
export function createLineStorage({ seal, textLanguage }: Resources) {
  async function store(
    tx: Transaction,
    copies: readonly ImportedCopy[],
    context: ImportContext,
  ): Promise<StoredLines> {
    const { outcomes, knownAs } = await storeRecords(tx, copies, context.caller)
    const fresh = copies.filter((copy) => outcomes.get(copy) === 'created')
    await storeHistories(tx, fresh, context.caller)
    await storeVectors(tx, fresh, context)
    const loose = await storeEdges(tx, { fresh, outcomes }, context)
    return {
      outcomes: copies.map((copy) => outcomes.get(copy) ?? createRecordExistsError(copy)),
      loose,
      knownAs,
    }
  }

  /** Compares the copies with what is stored, and inserts those that are new. */
  async function storeRecords(tx: Transaction, copies: readonly ImportedCopy[], caller: Caller) {
    const outcomes: LineOutcomes = new Map()
    const add = (found: LineOutcomes) => {
      for (const [copy, outcome] of found) outcomes.set(copy, outcome)
    }
    const listUnknown = () => copies.filter((copy) => !outcomes.has(copy))
    add(await compareExisting(tx, copies, caller))
    const appended = await compareAppended(tx, listUnknown())
    add(appended.outcomes)
    add(await insert(tx, listUnknown(), caller))
    // Another import may have stored a line between the comparison and the insert. The insert waits for it, so the
    // line is compared again.
    const refused = copies.filter(
      (copy) => outcomes.get(copy) instanceof AppError && !differs(outcomes.get(copy)),
    )
    add(await compareExisting(tx, refused, caller))
    const unexplained = copies.filter((copy) => isForeign(copy) && isUnexplained(outcomes.get(copy)))
    add(await explainErased(tx, unexplained, caller))
    return { outcomes, knownAs: appended.knownAs }
  }

  async function insert(
    tx: Transaction,
    copies: readonly ImportedCopy[],
    caller: Caller,
  ): Promise<LineOutcomes> {
    if (copies.length === 0) return new Map()
    const placed = await removeTakenPlaces(
      tx,
      copies.map(({ draft }) => draft),
    )
    const drafts = await rejectTakenIdentifiers(tx, await resolveDescent(tx, caller, placed, copies))
    const storable = drafts.flatMap((draft, index) => {
      const copy = copies[index]
      return draft instanceof AppError || !copy ? [] : [toStorable(draft, copy.given)]
    })
    const stored = await insertRecords(tx, storable, { textLanguage, seal })
    return new Map(
      copies.map((copy, index) => {
        const draft = drafts[index]
        return [copy, draft instanceof AppError ? draft : getOutcome(copy, stored)]
      }),
    )
  }

  return store
}

/** Compares copies with stored records that the caller sees whole. Each statement sees what was committed before it. */
async function compareExisting(
  tx: Transaction,
  copies: readonly ImportedCopy[],
  { trust }: Caller,
): Promise<LineOutcomes> {
  if (copies.length === 0) return new Map()
  const lines = copies.map(({ draft: { row }, given }) => ({
    id: row.id,
    version: row.version,
    newest: given.audit_log?.at(-1),
  }))
  const known = new Map((await findExisting(tx, lines, trust)).map((each) => [each.id, each]))
  return new Map(
    copies.flatMap((copy): [ImportedCopy, LineOutcome][] => {
      const there = known.get(copy.draft.row.id)
      return there ? [[copy, compareRecords(there, copy)]] : []
    }),
  )
}

/** The id of a foreign item is computed, so its client has not chosen one in use: the record was erased here. */
async function explainErased(
  tx: Transaction,
  refused: readonly ImportedCopy[],
  caller: Caller,
): Promise<LineOutcomes> {
  if (refused.length === 0) return new Map()
  const ids = refused.map(({ draft }) => draft.row.id)
  const errors = await explainMissing(tx, caller, ids)
  return new Map(
    refused
      .map((copy) => [copy, errors(copy.draft.row.id)] as const)
      .filter(([, error]) => error.code !== 'record_not_found'),
  )
}

function isUnexplained(outcome: LineOutcome | undefined): boolean {
  return outcome instanceof AppError && outcome.code === 'record_exists' && !differs(outcome)
}

/** True when the record was compared already and has differences. */
function differs(outcome: LineOutcome | undefined): boolean {
  return outcome instanceof AppError && outcome.code === 'record_exists' && (outcome.errors?.length ?? 0) > 0
}

function getOutcome(
  copy: ImportedCopy,
  { ids, erasedIds }: Awaited<ReturnType<typeof insertRecords>>,
): LineOutcome {
  const { id } = copy.draft.row
  if (ids.has(id)) return 'created'
  return erasedIds.has(id) ? createErasedContentError() : createRecordExistsError(copy)
}

/** The first record of a name here stays the first: an imported record with the same name gets no place. */
async function removeTakenPlaces(tx: Transaction, drafts: readonly Draft[]): Promise<Draft[]> {
  const places = drafts.flatMap(({ row, handles }) =>
    handles.flatMap(({ digest, place }) => (place === null ? [] : [{ digest, place, scope: row.scope }])),
  )
  if (places.length === 0) return [...drafts]
  const taken = new Set((await findTakenPlaces(tx, places)).map(formatPlace))
  return drafts.map((draft) => ({
    ...draft,
    handles: draft.handles.map((handle) => {
      if (handle.place === null) return handle
      const key = formatPlace({ ...handle, place: handle.place, scope: draft.row.scope })
      if (taken.has(key)) return { ...handle, place: null }
      taken.add(key)
      return handle
    }),
  }))
}

function formatPlace({ digest, scope, place }: HandlePlace): string {
  return `${digest.toString('hex')} ${place} ${scope}`
}

async function storeHistories(
  tx: Transaction,
  fresh: readonly ImportedCopy[],
  caller: Caller,
): Promise<void> {
  const whole = fresh.filter(({ hasHistory }) => hasHistory)
  await insertHistories(tx, describeVia(caller), whole.map(toHistory))
  const derived = isAllowed(caller, 'admin') ? fresh : fresh.filter(isForeign)
  await insertDescents(tx, derived.flatMap(listDescents), caller.trust)
}

/** Which model a store uses concerns every record, so only a caller who reaches every record registers one. */
async function storeVectors(
  tx: Transaction,
  fresh: readonly ImportedCopy[],
  { caller: { trust }, now }: ImportContext,
): Promise<void> {
  const vectors = fresh.flatMap(({ draft, given }) =>
    (given.embeddings ?? []).map((embedding) => ({ ...embedding, id: draft.row.id })),
  )
  if (vectors.length === 0) return
  if (hasFullTrust(trust)) await registerModels(tx, vectors, now)
  await insertVectors(tx, vectors)
}
