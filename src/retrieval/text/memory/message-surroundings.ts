import type { ConversationMessage } from '../surroundings.queries.ts'
import type { PlacedSurroundings } from './conversation-order.ts'
import type { DayNumbers } from './day-numbers.ts'
import type { TextTable } from './text-table.ts'

/** Around how many of the best matches messages are read, and how far. */
export type SurroundingsLimits = {
  hits: number
  /** How many messages that count for the match are requested on each side, up to a longer pause. */
  distance: number
  gapMs: number
}

type Hit = { id: string; place: number }
type Placed = { id: string; place: number; at: number; arrival: number }
type Surroundings = Omit<PlacedSurroundings, 'messages'> & { messages: Placed[] }
type Search = { surroundings?: SurroundingsLimits | undefined; days?: DayNumbers | undefined }

/** What PostgreSQL says of a record: whether it may be an answer, and whether its words count for the messages around it. */
export type RecordCheck = { isAnswer: boolean; isContext: boolean }

/** A few more than requested, because not every match may answer. */
const spareHits = 3
const widest = 64

/** The surroundings of matches in a table. Messages that do not count for others are passed over, as if they did not exist. */
export function createMessageSurroundings(
  table: TextTable,
  checked: ReadonlyMap<string, RecordCheck>,
  { surroundings: limits, days }: Search,
) {
  const widths = new Map<string, number>()
  const byHit = new Map<string, Surroundings | undefined>()

  function find({ id, place }: Hit, { distance, gapMs }: SurroundingsLimits): Surroundings | undefined {
    const placed = table.findSurroundings(place, { distance: widths.get(id) ?? distance, gapMs })
    if (!placed) return undefined
    const messages = placed.messages.map((message) => ({ id: table.getId(message.place), ...message }))
    return { ...placed, messages }
  }

  /** Looks around the best of some matches, and returns the ids of the messages there. */
  function lookAround(matches: readonly Hit[]): string[] {
    byHit.clear()
    if (!limits) return []
    const hits = matches.slice(0, limits.hits + spareHits)
    for (const hit of hits) byHit.set(hit.id, find(hit, limits))
    return [...byHit.values()].flatMap((surroundings) => surroundings?.messages.map(({ id }) => id) ?? [])
  }

  /** Widens the surroundings of the best matches that are too short. Returns whether it is necessary to look around again. */
  function widen(matches: readonly Hit[]): boolean {
    if (!limits) return false
    const { distance, hits } = limits
    const best = matches.slice(0, hits)
    const short = best.filter(({ id }) => isShort(id, distance))
    for (const { id } of short) widths.set(id, 4 * (widths.get(id) ?? distance))
    return short.length > 0 || !best.every(({ id }) => byHit.has(id))
  }

  function isShort(hit: string, distance: number): boolean {
    const surroundings = byHit.get(hit)
    if (!surroundings || (widths.get(hit) ?? distance) >= widest) return false
    const own = surroundings.messages.findIndex(({ id }) => id === hit)
    const lacks = (side: readonly Placed[]) =>
      side.filter(({ id }) => checked.get(id)?.isContext).length < distance
    return (
      (surroundings.isCutBefore && lacks(surroundings.messages.slice(0, own))) ||
      (surroundings.isCutAfter && lacks(surroundings.messages.slice(own + 1)))
    )
  }

  /** The messages around the best of the matches, each once, in the order of their conversations, with their words. */
  function listMessages(matches: readonly Hit[], words: readonly string[]): ConversationMessage[] {
    if (!limits) return []
    const hits = matches.slice(0, limits.hits)
    const hitIds = new Set(hits.map(({ id }) => id))
    const conversations = new Map<string, Map<string, Placed>>()
    for (const hit of hits) {
      const surroundings = byHit.get(hit.id)
      if (!surroundings) continue
      const messages = conversations.get(surroundings.conversation) ?? new Map<string, Placed>()
      conversations.set(surroundings.conversation, messages)
      const read = surroundings.messages.filter(({ id }) => hitIds.has(id) || checked.get(id)?.isContext)
      for (const message of read) messages.set(message.id, message)
    }
    const ordered = [...conversations.values()].flatMap((messages) =>
      [...messages.values()]
        .sort((one, other) => one.at - other.at || one.arrival - other.arrival)
        .map((message, index) => ({ ...message, isFirst: index === 0 })),
    )
    const counts = table.countWords(
      ordered.map(({ place }) => place),
      words,
    )
    return ordered.flatMap((message, index) => describeMessage(message, counts[index] ?? []))
  }

  function describeMessage(
    { id, place, at, isFirst }: Placed & { isFirst: boolean },
    counts: readonly number[],
  ): ConversationMessage[] {
    const message = table.readMessage(place)
    if (!message) return []
    const { isContext = false, isAnswer = false } = checked.get(id) ?? {}
    const check = { isContext, isAnswer: isAnswer && table.isOfDays(place, days) }
    return [{ id, at: Math.round(at), isFirst, ...check, counts, ...message }]
  }

  return { lookAround, widen, listMessages }
}
