import {
  bookkeeping,
  type Effect,
  formatKey,
  isCreation,
  isExpected,
  listEnds,
  listIds,
  type Row,
} from './effect.ts'

/**
 * Finds the records that cannot be changed as planned, with the reason: those that changed since, and those that depend on one
 * that is left out.
 */
export function findBlocked(
  effects: readonly Effect[],
  current: ReadonlyMap<string, Row>,
  {
    isLeftOut,
    unwritable,
  }: { isLeftOut: (owner: string) => boolean; unwritable: ReadonlyMap<string, string> },
): Map<string, string> {
  const reasons = new Map<string, string>(unwritable)
  for (const effect of effects) {
    if (effect.owner === null || reasons.has(effect.owner)) continue
    if (bookkeeping.has(effect.relation) && !isLeftOut(effect.owner)) continue
    if (isLeftOut(effect.owner)) reasons.set(effect.owner, 'not selected')
    else if (!isExpected(effect, current.get(formatKey(effect)))) {
      reasons.set(effect.owner, describeChange(effect, current.get(formatKey(effect))))
    }
  }
  return addDependents(reasons, listDependencies(effects))
}

/** The profiles that would be current although their entity has got another one since. */
export function listReplacedProfiles(
  effects: readonly Effect[],
  current: ReadonlyMap<string, Row>,
): [string, string][] {
  return effects.flatMap((effect): [string, string][] => {
    const { relation, after } = effect
    const card = relation === 'peer_cards' ? after?.['card_id'] : undefined
    if (typeof card !== 'string' || isExpected(effect, current.get(formatKey(effect)))) return []
    return [[card, 'its entity has another profile now']]
  })
}

function describeChange({ relation, before }: Effect, current: Row | undefined): string {
  if (relation !== 'records') return `its ${names[relation] ?? relation} changed since`
  if (!current) return 'it does not exist any more'
  if (!before) return 'its id is taken'
  return describeDifference(before, current)
}

/** Names one difference, the most important one. The version comes last, because every change gives a record another one. */
function describeDifference(before: Row, current: Row): string {
  const [found] = Object.entries(descriptions).flatMap(([column, describe]) =>
    column in before && before[column] !== current[column] ? describe(current[column]) : [],
  )
  return found ?? 'it changed since'
}

const descriptions: Readonly<Record<string, (value: unknown) => string>> = {
  forgotten_at: (value) => (value === null ? 'it was restored since' : 'it was forgotten since'),
  pinned: (value) => (value === true ? 'it was pinned since' : 'it was unpinned since'),
  status: (value) => `it is ${value} now`,
  layer: (value) => `it is in the layer ${value} now`,
  base_salience: () => 'its salience changed since',
}

export function describeTaken(relation: string): string {
  return relation === 'records'
    ? 'its id is taken'
    : `its ${names[relation] ?? relation} is taken by another record`
}

const names: Readonly<Record<string, string>> = {
  contents: 'content',
  handles: 'name or topic',
  entity_identifiers: 'identifiers',
  relations: 'edges',
  descents: 'sources',
}

/**
 * For each record, the records that must be changed too: the sources of a new one, the new ones that its rows name, and those
 * at the other ends of its edges.
 */
function listDependencies(effects: readonly Effect[]): Map<string, Set<string>> {
  const created = new Set(effects.filter(isCreation).map(({ owner }) => owner))
  const changed = new Set(
    effects.flatMap(({ owner, relation }) => (owner && relation === 'records' ? [owner] : [])),
  )
  const needed = new Map<string, Set<string>>()
  const need = (one: string, other: string) => {
    if (one === other || !changed.has(other)) return
    const others = needed.get(one) ?? new Set()
    needed.set(one, others.add(other))
  }
  for (const effect of effects) {
    const { owner, before, after } = effect
    if (owner === null) continue
    for (const id of listLinked(effect, created.has(owner))) need(owner, id)
    for (const id of listIds({ before, after })) if (created.has(id)) need(owner, id)
  }
  return needed
}

function listLinked(effect: Effect, isNew: boolean): string[] {
  if (effect.relation === 'descents') return [String((effect.after ?? effect.before)?.['source_id'])]
  return effect.relation === 'relations' && !isNew ? listEnds(effect) : []
}

/** Adds the records that depend on one of those with a reason. */
function addDependents(reasons: Map<string, string>, needed: ReadonlyMap<string, ReadonlySet<string>>) {
  for (let before = -1; before !== reasons.size; ) {
    before = reasons.size
    for (const [owner, others] of needed) {
      if (reasons.has(owner)) continue
      const missing = [...others].find((id) => reasons.has(id))
      if (missing) reasons.set(owner, `it depends on ${missing}, which is left out`)
    }
  }
  return reasons
}

/** The effects in groups that can be written without each other. */
export function groupDependent(effects: readonly Effect[]): Effect[][] {
  const heads = new Map<string, string>()
  const findHead = (id: string): string => {
    let head = id
    for (let next = heads.get(head); next !== undefined; next = heads.get(head)) head = next
    return head
  }
  for (const [owner, others] of listDependencies(effects)) {
    for (const other of others) {
      const [one, next] = [findHead(owner), findHead(other)]
      if (one !== next) heads.set(one, next)
    }
  }
  const owned = effects.filter(({ owner }) => owner !== null)
  return [...Map.groupBy(owned, ({ owner }) => findHead(owner ?? '')).values()]
}
