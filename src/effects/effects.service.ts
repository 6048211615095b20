import type { Transaction } from '../db/transaction.ts'
import { describeTaken, findBlocked, listReplacedProfiles } from './blocked-records.ts'
import {
  assignEdges,
  bookkeeping,
  compact,
  type Direction,
  type Effect,
  expectVersion,
  formatKey,
  isChange,
  isCreation,
  isExpected,
  keys,
  listIds,
  logs,
  omitImportance,
  type Row,
  references,
  turn,
  writesOutdatedImportance,
} from './effect.ts'
import { groupByRelation, pickKey, writeAll } from './effect-writing.service.ts'
import {
  findTakenHandles,
  type ImportanceMove,
  insertRows,
  listColumns,
  lockReferred,
  lockRows,
} from './effects.queries.ts'
import { type FindErased, findErasedReturns } from './erased-contents.service.ts'

type Options = {
  direction: Direction
  /** Keeps erased content from coming back. A dry run, which repeats what was just rolled back, needs none. */
  findErased?: FindErased
  /** Records that are not to be changed, although they could be. */
  isLeftOut?: (owner: string) => boolean
  /** Records that cannot be changed, each with the reason. */
  unwritable?: ReadonlyMap<string, string>
  /** The versions of records that later batches of this replay have already written. */
  versions?: ReadonlyMap<string, number>
  /** Replaces effects before they are written, for example so that a created record is retracted instead of deleted. */
  rewrite?: (effect: Effect) => Effect | undefined
  /** Whether a record that fails is left alone, with those that depend on it, instead of failing the others too. */
  isolatesFailures?: boolean
}

export type Replayed = {
  effects: Effect[]
  /** The records that could not be changed and keep all of their rows, each with the reason. */
  blocked: ReadonlyMap<string, string>
  /** Those among them that failed. */
  failed: ReadonlyMap<string, unknown>
  /** The importance of each record before and after. */
  importanceMoves: ImportanceMove[]
  /** The records that keep their importance, because it has changed since. It is to be computed again. */
  unscored: ReadonlySet<string>
}

/**
 * Applies the effects of a batch to the current rows, or takes them back. A record that has changed since, or depends on one that
 * has, keeps all of its rows. Call it in a transaction that holds the tombstones before it locks records.
 */
export async function replay(
  tx: Transaction,
  noted: readonly Effect[],
  {
    direction,
    findErased,
    isLeftOut = () => false,
    rewrite = (effect) => effect,
    isolatesFailures = false,
    ...options
  }: Options,
): Promise<Replayed> {
  const known = assignEdges(compact(noted.filter(({ relation }) => relation in keys)))
  const directed = direction === 'forward' ? known : known.map(turn)
  const effects = directed.map((effect) =>
    expectVersion(effect, effect.owner === null ? undefined : options.versions?.get(effect.owner)),
  )
  const current = await readCurrent(tx, effects)
  const unwritable = new Map([
    ...(options.unwritable ?? []),
    ...(direction === 'forward' ? await findTaken(tx, effects) : []),
    ...(await findDangling(tx, effects)),
    ...listReplacedProfiles(effects, current),
    ...(findErased ? await findErasedReturns(tx, findErased, effects, current) : []),
  ])
  const failed = new Map<string, unknown>()
  for (;;) {
    const blocked = findBlocked(effects, current, { isLeftOut, unwritable })
    const heldBack = direction === 'forward' ? listNamed(effects, blocked) : new Set<string>()
    const possible = effects.filter((effect) => {
      if (effect.owner !== null && blocked.has(effect.owner)) return false
      if (!bookkeeping.has(effect.relation)) return true
      return !heldBack.has(effect.owner ?? '') && isExpected(effect, current.get(formatKey(effect)))
    })
    const isUnscored = (effect: Effect) => writesOutdatedImportance(effect, current.get(formatKey(effect)))
    const written = possible
      .filter(isChange)
      .flatMap((effect) => (isUnscored(effect) ? (omitImportance(effect) ?? []) : effect))
      .flatMap((effect) => rewrite(effect) ?? [])
    const unwritten = await writeAll(tx, written, { isolatesFailures })
    if (unwritten.length === 0) {
      const unscored = new Set(possible.filter(isUnscored).flatMap(({ owner }) => owner ?? []))
      const importanceMoves = listImportanceMoves(written, current)
      return { effects: written, blocked, failed, importanceMoves, unscored }
    }
    for (const { owner, reason, error } of unwritten) {
      unwritable.set(owner, reason)
      if (error !== undefined) failed.set(owner, error)
    }
  }
}

/** The importance of a record changes by use too, so it may differ from the one that the effect has as before. */
function listImportanceMoves(
  written: readonly Effect[],
  current: ReadonlyMap<string, Row>,
): ImportanceMove[] {
  return written.flatMap((effect) => {
    const id = effect.relation === 'records' ? effect.owner : null
    const from = current.get(formatKey(effect))?.['importance']
    const to = effect.after?.['importance']
    if (id === null || typeof from !== 'number' || typeof to !== 'number' || from === to) return []
    return [{ record_id: id, old: from, new: to }]
  })
}

/** The ids in rows of records that were left alone. The open work on these ids stays on the lists. */
function listNamed(effects: readonly Effect[], blocked: ReadonlyMap<string, string>): Set<string> {
  return new Set(
    effects.flatMap(({ owner, before, after }) =>
      owner !== null && blocked.has(owner) ? listIds(after ?? before ?? {}) : [],
    ),
  )
}

/** The new records whose name or topic another record has. No constraint forbids it: the creation of a record looks first. */
async function findTaken(tx: Transaction, effects: readonly Effect[]): Promise<[string, string][]> {
  const created = new Map(
    effects.flatMap((effect) =>
      isCreation(effect) && effect.after ? [[effect.owner, effect.after] as const] : [],
    ),
  )
  const requested = effects.flatMap(({ relation, owner, before, after }) => {
    const record = relation === 'handles' && !before && after ? created.get(owner) : undefined
    return record ? [{ ...after, sensitivity: record['sensitivity'] }] : []
  })
  if (requested.length === 0) return []
  const taken = await findTakenHandles(tx, requested)
  return taken.map((id) => [id, describeTaken('handles')])
}

/** The effects that insert a row which refers to a record that does not exist. */
async function findDangling(tx: Transaction, effects: readonly Effect[]): Promise<[string, string][]> {
  const created = new Set(effects.flatMap((effect) => (isCreation(effect) ? (effect.owner ?? []) : [])))
  const referring = effects.flatMap(({ owner, relation, before, after }) => {
    const columns =
      before || !after || owner === null || bookkeeping.has(relation) ? [] : (references[relation] ?? [])
    const ids = columns.map((column) => String(after?.[column])).filter((id) => !created.has(id))
    return ids.map((id): [string, string] => [owner ?? '', id])
  })
  if (referring.length === 0) return []
  const present = new Set(await lockReferred(tx, [...new Set(referring.map(([, id]) => id))]))
  return referring
    .filter(([, id]) => !present.has(id))
    .map(([owner]) => [owner, 'a record that it refers to does not exist any more'])
}

/** Writes what the effects log. */
export async function insertLogs(tx: Transaction, effects: readonly Effect[]): Promise<void> {
  const logged = effects.filter(({ relation }) => logs.has(relation))
  for (const [relation, group] of Map.groupBy(logged, ({ relation }) => relation)) {
    const columns = await listColumns(tx, relation)
    await insertRows(tx, { relation, columns, rows: group.flatMap(({ after }) => (after ? [after] : [])) })
  }
}

async function readCurrent(tx: Transaction, effects: readonly Effect[]): Promise<Map<string, Row>> {
  const current = new Map<string, Row>()
  const groups = groupByRelation(effects)
  for (const relation of listInLockOrder(groups.keys())) {
    const group = groups.get(relation) ?? []
    const requested = group.map(({ before, after }) => pickKey(relation, after ?? before ?? {}))
    for (const row of await lockRows(tx, relation, requested)) {
      current.set(formatKey({ relation, before: null, after: row }), row)
    }
  }
  return current
}

/** A consolidation locks the work that it takes from the list, and then the records that it changes. */
function listInLockOrder(relations: Iterable<string>): string[] {
  const isList = (relation: string) => Number(relation === 'unconsolidated')
  return [...relations].sort((one, other) => isList(other) - isList(one))
}
