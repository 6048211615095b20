import { compareTexts } from '../../kernel/text-order.ts'
import type { NewerState } from './prompt-context.queries.ts'
import type { Entry } from './prompt-entries.ts'

/** Orders what could stand in a prompt by its relevance. */

export type Pair = readonly [one: string, other: string]

export type Order = {
  /** The entities that the question names and their profiles, then the records of the answer, best first. */
  profileIds: readonly string[]
  foundIds: readonly string[]
  selectedId: string | undefined
  /** The messages around a found one. */
  messagesAround: ReadonlyMap<string, readonly string[]>
  disputes: readonly Pair[]
  /** The newest states of found tasks. */
  newerStates: readonly NewerState[]
}

/** By how many places a neighbour of a message counts less than the message. */
const neighbourPlaces = 10
/** The procedure to follow is not worth less than a record at this place. */
const latestProcedure = 3

/** The place of every record that could stand in the prompt; a lower one is more relevant. */
export function placeRecords({
  profileIds,
  foundIds,
  selectedId,
  messagesAround,
  disputes,
  newerStates,
}: Order): Map<string, number> {
  const places = new Map<string, number>()
  const place = (id: string, at: number) => places.set(id, Math.min(at, places.get(id) ?? at))
  for (const [index, id] of profileIds.entries()) place(id, index - profileIds.length)
  for (const [index, id] of foundIds.entries()) {
    place(id, id === selectedId ? Math.min(index, latestProcedure) : index)
    for (const neighbour of messagesAround.get(id) ?? []) place(neighbour, index + neighbourPlaces)
  }
  for (const { older, newer } of newerStates) place(newer, places.get(older) ?? foundIds.length)
  for (const group of groupPairs(disputes)) {
    const best = Math.min(...group.map((id) => places.get(id) ?? Number.POSITIVE_INFINITY))
    if (Number.isFinite(best)) for (const id of group) place(id, best)
  }
  return places
}

/** Entries that must stand together, the most relevant first. Of facts in dispute the newer comes first. */
export function listUnits(
  entries: readonly Entry[],
  places: ReadonlyMap<string, number>,
  disputes: readonly Pair[],
): Entry[][] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const groups = groupPairs(disputes).map((ids) => ids.flatMap((id) => byId.get(id) ?? []))
  const grouped = new Map(groups.flatMap((group) => group.map((entry) => [entry.id, group] as const)))
  const inOrder = [...entries].sort((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0))
  const units = new Set(inOrder.map((entry) => grouped.get(entry.id) ?? entry))
  return Array.from(units, (unit) => (Array.isArray(unit) ? unit.sort(compareAges) : [unit]))
}

function compareAges(one: Entry, other: Entry): number {
  return other.at - one.at || compareTexts(other.id, one.id)
}

/** Joins pairs that share a member. */
function groupPairs(pairs: readonly Pair[]): string[][] {
  const groups = new Map<string, Set<string>>()
  for (const [one, other] of pairs) {
    const joined = new Set([...(groups.get(one) ?? [one]), ...(groups.get(other) ?? [other])])
    for (const id of joined) groups.set(id, joined)
  }
  return [...new Set(groups.values())].map((group) => [...group])
}
