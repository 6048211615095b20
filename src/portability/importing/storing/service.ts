import type { Database } from '../../../db/connection.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { type Caller, isAllowed } from '../../../kernel/caller.ts'
import { AppError } from '../../../kernel/errors.ts'
import {
  type createSeal,
  erasedContent,
  insertRecords,
  refuseTakenIdentifiers,
} from '../../../records/index.ts'
import type { Draft } from '../../../records/rows.ts'
import { isHistory } from '../../../records/vocabulary.ts'
import { inverseOf, inversePairs } from '../../../relations/inverses.ts'
import { findDifferences } from '../../comparison.ts'
import type { Copy } from '../../copy.ts'
import { findMissingEdges, type Importing, linkEdges } from '../linking/queries.ts'
import { findKnown, findTakenPlaces, keepPasts, type Place } from '../queries.ts'
import { keepVectors, registerModels } from '../vectors/queries.ts'

type Resources = { seal: ReturnType<typeof createSeal>; textLanguage: string }

/** What became of a line: there is an error where it was not stored and not there. */
export type Fate = 'created' | 'unchanged' | AppError

/** Stores copies of different ids in one transaction and answers what became of each, in their order. */
export function createStoring({ seal, textLanguage }: Resources) {
  async function store(
    tx: Transaction,
    caller: Caller,
    copies: readonly Copy[],
    importing: Importing,
  ): Promise<Fate[]> {
    const ids = copies.map(({ draft }) => draft.row.id)
    const known = new Map((await findKnown(tx, ids, caller.trust)).map((each) => [each.id, each]))
    const fates = new Map<Copy, Fate>()
    for (const copy of copies) {
      const there = known.get(copy.draft.row.id)
      if (there) fates.set(copy, compare(findDifferences(there, copy), copy))
    }
    const fresh = await insert(
      tx,
      copies.filter((copy) => !fates.has(copy)),
      fates,
    )
    await keepPasts(tx, fresh.filter(({ isWhole }) => isWhole).map(pastOf))
    await keepAllVectors(tx, fresh, importing)
    await link(tx, caller, { fresh, fates }, importing)
    return copies.map((copy) => fates.get(copy) ?? recordExists(copy))
  }

  async function insert(tx: Transaction, copies: readonly Copy[], fates: Map<Copy, Fate>): Promise<Copy[]> {
    if (copies.length === 0) return []
    const placed = await withoutTakenPlaces(
      tx,
      copies.map(({ draft }) => draft),
    )
    const drafts = await refuseTakenIdentifiers(tx, placed)
    const storable = drafts.flatMap((draft, index) => {
      if (draft instanceof AppError) return []
      const log = copies[index]?.given.audit_log ?? []
      return [{ ...draft, edges: [], isNamed: true, audit: log.length > 0 ? null : draft.audit }]
    })
    const stored = await insertRecords(tx, storable, textLanguage, seal)
    return copies.filter((copy, index) => {
      const draft = drafts[index]
      const fate = draft instanceof AppError ? draft : fateOf(copy, stored)
      fates.set(copy, fate)
      return fate === 'created'
    })
  }

  return store
}

function compare(errors: ReturnType<typeof findDifferences>, copy: Copy): Fate {
  return errors.length === 0 ? 'unchanged' : recordExists(copy, errors)
}

function fateOf(copy: Copy, { ids, erasedIds }: Awaited<ReturnType<typeof insertRecords>>): Fate {
  const { id } = copy.draft.row
  if (ids.has(id)) return 'created'
  return erasedIds.has(id) ? erasedContent() : recordExists(copy)
}

function recordExists({ draft }: Copy, errors: ReturnType<typeof findDifferences> = []): AppError {
  const message = `The id ${draft.row.id} is already in use.`
  return new AppError('record_exists', message, errors.length > 0 ? { errors } : {})
}

/** Who bears a name first here stays so: what comes from elsewhere bears it too, and has no place among them. */
async function withoutTakenPlaces(tx: Transaction, drafts: readonly Draft[]): Promise<Draft[]> {
  const wanted = drafts.flatMap(({ row, handles }) =>
    handles.flatMap(({ digest, place }) => (place === null ? [] : [{ digest, place, scope: row.scope }])),
  )
  if (wanted.length === 0) return [...drafts]
  const taken = new Set((await findTakenPlaces(tx, wanted)).map(keyOf))
  return drafts.map((draft) => ({
    ...draft,
    handles: draft.handles.map((handle) => {
      if (handle.place === null) return handle
      const key = keyOf({ ...handle, place: handle.place, scope: draft.row.scope })
      if (taken.has(key)) return { ...handle, place: null }
      taken.add(key)
      return handle
    }),
  }))
}

function keyOf({ digest, scope, place }: Place): string {
  return `${digest.toString('hex')} ${place} ${scope}`
}

function pastOf({ draft: { row }, given }: Copy) {
  const { forgotten, served_count, demoted_at, audit_log, status_history, importance_history } = given
  const { access_log, access_days, surprise, consolidation } = given
  return {
    ...{
      id: row.id,
      created_at: row.created_at,
      forgotten,
      served_count,
      demoted_at,
      audit_log,
      status_history,
    },
    ...{ importance_history, access_log, access_days, surprise },
    consolidation: consolidation && listed(consolidation, row, forgotten !== undefined),
  }
}

/** A live episode that was never changed has yet to be looked at, whatever else was learnt from it. */
function listed(kept: NonNullable<Copy['given']['consolidation']>, row: Draft['row'], isForgotten: boolean) {
  const isOver = isForgotten || row.pinned || isHistory(row.status) || row.base_salience <= leastCompressed
  if (row.type !== 'episodic' || row.version > 1 || isOver || kept.due.includes('episodic')) return kept
  return { ...kept, due: ['episodic' as const, ...kept.due] }
}

/** What has faded to this is worth no work. */
const leastCompressed = 0.05

async function keepAllVectors(tx: Transaction, fresh: readonly Copy[], { now }: Importing): Promise<void> {
  const vectors = fresh.flatMap(({ draft, given }) =>
    (given.embeddings ?? []).map((embedding) => ({ ...embedding, id: draft.row.id })),
  )
  if (vectors.length === 0) return
  await registerModels(tx, vectors, now)
  await keepVectors(tx, vectors)
}

const backward: ReadonlySet<string> = new Set(inversePairs.map(([, predicate]) => predicate))

type Judged = { fresh: readonly Copy[]; fates: Map<Copy, Fate> }

/**
 * Edges of what was stored. Of what was there already an admin's import adds those that are missing, as the one before
 * may have been cut off; but not those that the other end has to say, or one that was removed since would be back.
 */
async function link(
  tx: Transaction,
  caller: Caller,
  { fresh, fates }: Judged,
  importing: Importing,
): Promise<void> {
  const isAdmin = isAllowed(caller, 'admin')
  const unchanged = [...fates].flatMap(([copy, fate]) => (fate === 'unchanged' ? [copy] : []))
  if (!isAdmin) await refuseMissingEdges(tx, unchanged, fates)
  const again = isAdmin ? unchanged.flatMap(edgesOf).filter(({ predicate }) => !backward.has(predicate)) : []
  const arrived = fresh.map(({ draft }) => draft.row.id)
  const edges = [...fresh.flatMap(edgesOf), ...again]
  if (edges.length > 0 || arrived.length > 0) await linkEdges(tx, edges, arrived, importing)
}

function edgesOf({ draft, isWhole }: Copy) {
  return draft.edges.map((edge) => ({
    ...edge,
    inverse: inverseOf(edge.predicate) ?? null,
    is_whole: isWhole,
  }))
}

async function refuseMissingEdges(
  tx: Database,
  unchanged: readonly Copy[],
  fates: Map<Copy, Fate>,
): Promise<void> {
  const edges = unchanged.flatMap(({ draft }) => draft.edges)
  if (edges.length === 0) return
  const missing = new Set((await findMissingEdges(tx, edges)).map((edge) => edgeKey(edge)))
  for (const copy of unchanged) {
    const errors = copy.draft.edges.flatMap((edge, index) =>
      missing.has(edgeKey(edge))
        ? [{ pointer: `/relations/${index}`, message: 'is no edge of the record' }]
        : [],
    )
    if (errors.length > 0) fates.set(copy, recordExists(copy, errors))
  }
}

function edgeKey({
  source_id: source,
  predicate,
  target_id: target,
}: Draft['edges'][number] | EdgeName): string {
  return `${source} ${target} ${predicate}`
}

type EdgeName = Pick<Draft['edges'][number], 'source_id' | 'predicate' | 'target_id'>
