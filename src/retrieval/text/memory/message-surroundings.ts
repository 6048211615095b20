import type { ConversationMessage } from '../surroundings/surroundings.queries.ts'
import type { PlacedSurroundings } from './conversation-order.ts'
import type { DayNumbers } from './day-numbers.ts'
import type { TextTable } from './text-table.ts'

/** Around how many of the best matches messages are read, and how far. */
export type SurroundingsLimits = {
  matchCount: number
  /** How many messages that count for the match are requested on each side, up to a longer pause. */
  distance: number
  gapMs: number
}

type PlacedMatch = { id: string; place: number }
type Placed = { id: string; place: number; at: number; arrival: number }
type Surroundings = Omit<PlacedSurroundings, 'messages'> & { messages: Placed[] }
type Search = { surroundings?: SurroundingsLimits | undefined; days?: DayNumbers | undefined }

/** The answer of PostgreSQL about a record: whether it may be an answer, and whether its words count for the messages around it. */
export type RecordCheck = { isAnswer: boolean; isContext: boolean }

/** A few more than requested, because not every match may answer. */
const spareMatches = 3
const widest = 64

/** The surroundings of matches in a table. Messages that do not count for others are passed over, as if they did not exist. */
export function createMessageSurroundings(
  table: TextTable,
  checked: ReadonlyMap<string, RecordCheck>,
  { surroundings: limits, days }: Search,
) {
  const widths = new Map<string, number>()
  const byMatch = new Map<string, Surroundings | undefined>()

  function find(
    { id, place }: PlacedMatch,
    { distance, gapMs }: SurroundingsLimits,
  ): Surroundings | undefined {
    const placed = table.findSurroundings(place, { distance: widths.get(id) ?? distance, gapMs })
    if (!placed) return undefined
    const messages = placed.messages.map((message) => ({ id: table.getId(message.place), ...message }))
    return { ...placed, messages }
  }

  /** Looks around the best of some matches, and returns the ids of the messages there. */
  function lookAround(matches: readonly PlacedMatch[]): string[] {
    byMatch.clear()
    if (!limits) return []
    const best = matches.slice(0, limits.matchCount + spareMatches)
    for (const match of best) byMatch.set(match.id, find(match, limits))
    return [...byMatch.values()].flatMap((surroundings) => surroundings?.messages.map(({ id }) => id) ?? [])
  }

  /** Widens the surroundings of the best matches that are too short. Returns whether it is necessary to look around again. */
  function widen(matches: readonly PlacedMatch[]): boolean {
    if (!limits) return false
    const { distance, matchCount } = limits
    const best = matches.slice(0, matchCount)
    const short = best.filter(({ id }) => isShort(id, distance))
    for (const { id } of short) widths.set(id, 4 * (widths.get(id) ?? distance))
    return short.length > 0 || !best.every(({ id }) => byMatch.has(id))
  }

  function isShort(match: string, distance: number): boolean {
    const surroundings = byMatch.get(match)
    if (!surroundings || (widths.get(match) ?? distance) >= widest) return false
    const own = surroundings.messages.findIndex(({ id }) => id === match)
    const lacks = (side: readonly Placed[]) =>
      side.filter(({ id }) => checked.get(id)?.isContext).length < distance
    return (
      (surroundings.isCutBefore && lacks(surroundings.messages.slice(0, own))) ||
      (surroundings.isCutAfter && lacks(surroundings.messages.slice(own + 1)))
    )
  }

  /** The messages around the best of the matches, each once, in the order of their conversations, with their words. */
  function listMessages(matches: readonly PlacedMatch[], words: readonly string[]): ConversationMessage[] {
    if (!limits) return []
    const best = matches.slice(0, limits.matchCount)
    const bestIds = new Set(best.map(({ id }) => id))
    const conversations = new Map<string, Map<string, Placed>>()
    for (const match of best) {
      const surroundings = byMatch.get(match.id)
      if (!surroundings) continue
      const messages = conversations.get(surroundings.conversation) ?? new Map<string, Placed>()
      conversations.set(surroundings.conversation, messages)
      const read = surroundings.messages.filter(({ id }) => bestIds.has(id) || checked.get(id)?.isContext)
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
