import { listUuids } from '../kernel/ids.ts'

/**
 * A row that a run wrote. `before` is null for an inserted row, `after` for a deleted one. For an updated row, both have its key and
 * the columns that changed.
 */
export type Effect = {
  /** The record that the row belongs to; null for a row of none. */
  owner: string | null
  relation: string
  before: Row | null
  after: Row | null
}

/** As it is stored: with the other rows that the same statement wrote of the record. */
export type SavedEffect = Effect & {
  others: readonly (Pick<Effect, 'relation'> & Partial<Pick<Effect, 'before' | 'after'>>)[] | null
}

export type Row = Readonly<Record<string, unknown>>
export type Direction = 'forward' | 'backward'

/** The columns that identify a row, in an order in which rows can be written: records before what refers to them. */
export const keys: Readonly<Record<string, readonly string[]>> = {
  records: ['id'],
  contents: ['record_id'],
  handles: ['record_id', 'digest', 'scope'],
  entity_identifiers: ['record_id', 'namespace', 'value'],
  descents: ['derived_id', 'source_id'],
  relations: ['source_id', 'predicate', 'target_id'],
  embeddings: ['record_id', 'model_id'],
  unconsolidated: ['record_id', 'stage'],
  episode_tallies: ['episode_id', 'stage'],
  peer_cards: ['entity_id'],
  dream_verdicts: ['step', 'digest'],
  belief_probes: ['record_id'],
  drift_misses: ['record_id'],
}

export function unpack({ others, ...effect }: SavedEffect): Effect[] {
  const { owner } = effect
  return [effect, ...(others ?? []).map((other) => ({ owner, before: null, after: null, ...other }))]
}

export function formatKey({
  relation,
  before,
  after,
}: Pick<Effect, 'relation' | 'before' | 'after'>): string {
  const row = after ?? before ?? {}
  return JSON.stringify([relation, ...(keys[relation] ?? []).map((column) => row[column])])
}

/** One effect for each row: from its state before all of them to its state after all of them. */
export function compact(effects: readonly Effect[]): Effect[] {
  const byKey = new Map<string, Effect>()
  for (const effect of effects) {
    const key = formatKey(effect)
    const earlier = byKey.get(key)
    const joined = earlier ? join(earlier, effect) : effect
    if (joined) byKey.set(key, joined)
    else byKey.delete(key)
  }
  return [...byKey.values()]
}

/**
 * An edge and its inverse are written and removed together, so both belong to one of the two records: to the new one, otherwise to the
 * one that was derived from the other, otherwise to one that changes too. Effects of edges are stored with the source of the edge.
 */
export function assignEdges(effects: readonly Effect[]): Effect[] {
  const created = new Set(effects.filter(isCreation).map(({ owner }) => owner))
  const changed = new Set(effects.flatMap(({ owner, relation }) => (relation === 'records' ? [owner] : [])))
  const derived = new Set(effects.filter(({ relation }) => relation === 'descents').map(formatKey))
  const isDerived = (derived_id: string, source_id: string | undefined) =>
    derived.has(formatKey({ relation: 'descents', before: null, after: { derived_id, source_id } }))
  return effects.map((effect) => {
    if (effect.relation !== 'relations' || created.has(effect.owner)) return effect
    const ends = listEnds(effect)
    const [one, other] = ends.toSorted()
    const owner =
      ends.find((id) => created.has(id)) ??
      ends.find((id) => isDerived(id, id === one ? other : one)) ??
      [one, other].find((id) => id !== undefined && changed.has(id)) ??
      one
    return { ...effect, owner: owner ?? null }
  })
}

/** The records at the ends of an edge. */
export function listEnds({ before, after }: Effect): string[] {
  const { source_id, target_id } = after ?? before ?? {}
  return [String(source_id), String(target_id)]
}

/** Whether a record begins to exist or ceases to. */
export function isCreation({ relation, before, after }: Effect): boolean {
  return relation === 'records' && !before !== !after
}

/** A record whose state is only noted has the same row before and after. */
export function isChange({ relation, before, after }: Effect): boolean {
  return relation !== 'records' || JSON.stringify(before) !== JSON.stringify(after)
}

/** Every id that a row contains. */
export function listIds(row: Row): string[] {
  return listUuids(JSON.stringify(row))
}

/** The columns that refer to records other than the owner. */
export const references: Readonly<Record<string, readonly string[]>> = {
  relations: ['source_id', 'target_id'],
  descents: ['source_id'],
}

/** Lists of open and finished work. A row that has changed since is left alone, and does not block its record. */
export const bookkeeping: ReadonlySet<string> = new Set([
  'unconsolidated',
  'episode_tallies',
  'dream_verdicts',
  'belief_probes',
  'drift_misses',
  'peer_cards',
])

/** Undefined when a row that was inserted is gone again. */
function join(one: Effect, next: Effect): Effect | undefined {
  if (!one.before && !next.after) return undefined
  return {
    ...one,
    before: one.before && { ...(next.before ?? {}), ...one.before },
    after: next.after && { ...(one.after ?? {}), ...next.after },
  }
}

/**
 * The effect without the importance that it writes, where the importance has changed since: it counts uses that the effect does not
 * know. Undefined when nothing else would change.
 */
export function omitImportance(effect: Effect): Effect | undefined {
  const { before, after } = effect
  const { importance: _, ...others } = after ?? {}
  const changes = Object.entries(others).some(([column, value]) => !isSame(before?.[column], value))
  return changes ? { ...effect, after: others } : undefined
}

/** Whether an effect writes an importance that is another one now than the effect expects. */
export function writesOutdatedImportance({ before, after }: Effect, current: Row | undefined): boolean {
  if (!before || !after || !current || !('importance' in after)) return false
  return before['importance'] !== current['importance']
}

/** Returns the effect that takes this one back. */
export function turn({ before, after, ...effect }: Effect): Effect {
  return { ...effect, before: after, after: before }
}

/** Columns in which the database notes the transaction of a change. */
export const notedColumns = ['changed', 'revealed'] as const

/** Columns that change by time or use alone: a difference in them blocks neither applying nor undoing. */
const drifting: ReadonlySet<string> = new Set([
  ...notedColumns,
  'salience',
  'importance',
  'fades_at',
  'decay_rank',
  'updated_at',
  'last_accessed_at',
  'access_count',
  'restored_at',
  'served_count',
  'attempts',
  'claimed_until',
  'due_at',
  'error',
])

/** The tables that log what happened to a record. A dry run stores their rows apart, because its rollback removes them. */
export const logs: ReadonlySet<string> = new Set(['audit_entries', 'status_changes', 'importance_history'])

/** Returns the effect as one that expects another version of its record, which is otherwise as the effect left it. */
export function expectVersion(effect: Effect, version: number | undefined): Effect {
  const { relation, before } = effect
  if (version === undefined || relation !== 'records' || !before || !('version' in before)) return effect
  return { ...effect, before: { ...before, version } }
}

/** Whether a row is still as the effect expects it. */
export function isExpected({ before, after }: Effect, current: Row | undefined): boolean {
  if (!before || !current) return !before && !current
  // Surprise moves the base importance of a new record. When a client sets it, the version changes too.
  const isFree = (column: string) => drifting.has(column) || (column === 'base_importance' && !after)
  return Object.entries(before).every(([column, value]) => isFree(column) || isSame(value, current[column]))
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other ?? null)
}
