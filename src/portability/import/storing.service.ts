import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import { type Caller, isAllowed, viaOf } from '../../domain/caller.ts'
import { inverseOf, isInverse } from '../../domain/edges.ts'
import type { createSeal } from '../../domain/tombstone-seal.ts'
import { reachesEverything } from '../../domain/trust.ts'
import { isHistory } from '../../domain/vocabulary.ts'
import { AppError } from '../../kernel/errors.ts'
import { type Draft, erasedContent, insertRecords, refuseTakenIdentifiers } from '../../records/index.ts'
import { findKnown, findTakenPlaces, keepDescents, keepPasts, type Place } from './import.queries.ts'
import { descentsOf, settleDescent } from './import-descent.service.ts'
import { findMissingEdges, type Importing, type LooseEdge, linkEdges } from './import-edges.queries.ts'
import { keepVectors, registerModels } from './import-vectors.queries.ts'
import type { Copy } from './imported-draft.ts'
import { findDifferences } from './record-differences.ts'

type Resources = { seal: ReturnType<typeof createSeal>; textLanguage: string }

/** What became of a line: there is an error where it was not stored and not there. */
export type Fate = 'created' | 'unchanged' | AppError

/** `loose`: edges that a line gives of a record that is there, and whose target is not. They are not stored. */
export type Stored = { fates: Fate[]; loose: LooseEdge[] }

/** Stores copies of different ids in one transaction and answers what became of each, in their order. */
export function createStoring({ seal, textLanguage }: Resources) {
  async function store(
    tx: Transaction,
    caller: Caller,
    copies: readonly Copy[],
    importing: Importing,
  ): Promise<Stored> {
    const fates = new Map<Copy, Fate>()
    await compareKnown(tx, caller, copies, fates)
    const fresh = await insert(
      tx,
      caller,
      copies.filter((copy) => !fates.has(copy)),
      fates,
    )
    // Another import may have stored a line between the first look and the insert, which waits for it.
    const refused = copies.filter((copy) => fates.get(copy) instanceof AppError && !differs(fates.get(copy)))
    await compareKnown(tx, caller, refused, fates)
    const whole = fresh.filter(({ isWhole }) => isWhole)
    await keepPasts(tx, viaOf(caller), whole.map(pastOf))
    if (isAllowed(caller, 'admin')) await keepDescents(tx, fresh.flatMap(descentsOf))
    await keepAllVectors(tx, caller, fresh, importing)
    const loose = await link(tx, caller, { fresh, fates }, importing)
    return { fates: copies.map((copy) => fates.get(copy) ?? recordExists(copy)), loose }
  }

  async function insert(
    tx: Transaction,
    caller: Caller,
    copies: readonly Copy[],
    fates: Map<Copy, Fate>,
  ): Promise<Copy[]> {
    if (copies.length === 0) return []
    const placed = await withoutTakenPlaces(
      tx,
      copies.map(({ draft }) => draft),
    )
    const drafts = await refuseTakenIdentifiers(tx, await settleDescent(tx, caller, placed, copies))
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

/** What the caller sees whole is compared; each statement sees what was committed before it. */
async function compareKnown(
  tx: Transaction,
  { trust }: Caller,
  copies: readonly Copy[],
  fates: Map<Copy, Fate>,
): Promise<void> {
  if (copies.length === 0) return
  const ids = copies.map(({ draft }) => draft.row.id)
  const known = new Map((await findKnown(tx, ids, trust)).map((each) => [each.id, each]))
  for (const copy of copies) {
    const there = known.get(copy.draft.row.id)
    if (there) fates.set(copy, compare(findDifferences(there, copy), copy))
  }
}

/** Compared already. */
function differs(fate: Fate | undefined): boolean {
  return fate instanceof AppError && fate.code === 'record_exists' && (fate.errors?.length ?? 0) > 0
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

/** Which model a store uses concerns every record, so only a caller who reaches every record registers one. */
async function keepAllVectors(
  tx: Transaction,
  { trust }: Caller,
  fresh: readonly Copy[],
  { now }: Importing,
): Promise<void> {
  const vectors = fresh.flatMap(({ draft, given }) =>
    (given.embeddings ?? []).map((embedding) => ({ ...embedding, id: draft.row.id })),
  )
  if (vectors.length === 0) return
  if (reachesEverything(trust)) await registerModels(tx, vectors, now)
  await keepVectors(tx, vectors)
}

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
): Promise<LooseEdge[]> {
  const unchanged = [...fates].flatMap(([copy, fate]) => (fate === 'unchanged' ? [copy] : []))
  const { again, loose } = isAllowed(caller, 'admin')
    ? { again: unchanged.flatMap(edgesOf).filter(({ predicate }) => !isInverse(predicate)), loose: [] }
    : await judgeMissingEdges(tx, unchanged, fates, importing)
  const arrived = fresh.map(({ draft }) => draft.row.id)
  const edges = [...fresh.flatMap(edgesOf), ...again]
  if (edges.length > 0 || arrived.length > 0) await linkEdges(tx, edges, arrived, importing)
  return loose
}

function edgesOf({ draft, isWhole }: Copy) {
  return draft.edges.map((edge) => ({
    ...edge,
    inverse: inverseOf(edge.predicate) ?? null,
    is_whole: isWhole,
  }))
}

/**
 * Of a line that is there already: an edge that another import holds is on its way, and this import takes it over in
 * case the other ends early. An edge whose target is not there is loose. Any other missing edge is a difference.
 */
async function judgeMissingEdges(
  tx: Database,
  unchanged: readonly Copy[],
  fates: Map<Copy, Fate>,
  importing: Importing,
) {
  const given = unchanged.flatMap(({ draft }) => draft.edges)
  const missing = given.length === 0 ? [] : await findMissingEdges(tx, given, importing)
  const causes = new Map(missing.map(({ cause, ...edge }) => [edgeKey(edge), cause]))
  for (const copy of unchanged) {
    const errors = copy.draft.edges.flatMap((edge, index) =>
      causes.get(edgeKey(edge)) === 'absent'
        ? [{ pointer: `/relations/${index}`, message: 'is no edge of the record' }]
        : [],
    )
    if (errors.length > 0) fates.set(copy, recordExists(copy, errors))
  }
  const same = unchanged.filter((copy) => fates.get(copy) === 'unchanged')
  const again = same.flatMap(edgesOf).filter((edge) => causes.get(edgeKey(edge)) === 'awaited')
  const loose = missing.flatMap(({ cause, ...edge }) => (cause === 'loose' ? [edge] : []))
  return { again, loose }
}

function edgeKey({
  source_id: source,
  predicate,
  target_id: target,
}: Draft['edges'][number] | EdgeName): string {
  return `${source} ${target} ${predicate}`
}

type EdgeName = Pick<Draft['edges'][number], 'source_id' | 'predicate' | 'target_id'>
