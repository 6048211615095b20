import { createGrowingArray } from '../../../kernel/collections/growing-array.ts'
import { createNumbering } from './numbering.ts'
import { createSpeakerList } from './speaker-list.ts'

/** A message by its place in the table. Its time is in milliseconds, with parts of them; of equal times the earlier arrival is first. */
export type PlacedMessage = { place: number; at: number; arrival: number }

export type PlacedSurroundings = {
  conversation: string
  messages: PlacedMessage[]
  isCutBefore: boolean
  isCutAfter: boolean
}

type Message = { conversation: string; at: number; arrival: number; speaker: string | null }

/** The bytes of an entry of a list, with room to grow. */
const bytesOfEntry = 12

/** The messages of conversations in their order. Each text has a place here, also one that is no message. */
export function createConversationOrder() {
  const names = createNumbering()
  /** By the number of a conversation, the places of its messages. */
  const members: number[][] = []
  /** By place: one more than the number of the conversation, or 0 for a text without a conversation. */
  const conversationOf = createGrowingArray(Uint32Array)
  const times = createGrowingArray(Float64Array)
  const arrivals = createGrowingArray(Float64Array)
  const speakers = createSpeakerList()

  /** Takes in the text of the next place; undefined for one that is no message. */
  function push(message: Message | undefined): void {
    const place = conversationOf.length
    const number = message && names.assignNumber(message.conversation)
    conversationOf.push(number === undefined ? 0 : number + 1)
    times.push(message?.at ?? 0)
    arrivals.push(message?.arrival ?? 0)
    speakers.push(message?.speaker ?? null)
    if (number === undefined) return
    const places = members[number] ?? []
    members[number] = places
    places.splice(findPosition(places, place), 0, place)
  }

  function findConversation(place: number): number[] | undefined {
    return members[(conversationOf.values[place] ?? 0) - 1]
  }

  function remove(place: number): void {
    const places = findConversation(place)
    if (!places) return
    places.splice(findPosition(places, place), 1)
    conversationOf.values[place] = 0
  }

  /**
   * The messages around one and the message itself, in their order: up to `distance` on each side, and up to a longer pause.
   * Undefined for a text that is no message.
   */
  function findSurroundings(
    place: number,
    { distance, gapMs }: { distance: number; gapMs: number },
  ): PlacedSurroundings | undefined {
    const all = findConversation(place)
    if (!all) return undefined
    const position = findPosition(all, place)
    let first = position
    while (first > 0 && position - first < distance && !isPause(all, first - 1, gapMs)) first -= 1
    let last = position
    while (last < all.length - 1 && last - position < distance && !isPause(all, last, gapMs)) last += 1
    return {
      conversation: names.getName((conversationOf.values[place] ?? 0) - 1) ?? '',
      messages: all.slice(first, last + 1).map(getMessage),
      isCutBefore: position - first === distance && first > 0,
      isCutAfter: last - position === distance && last < all.length - 1,
    }
  }

  /** Whether a message is followed by a longer pause. */
  function isPause(places: readonly number[], position: number, gapMs: number): boolean {
    const one = places[position] ?? 0
    const next = places[position + 1] ?? 0
    return Math.round(getMessage(next).at) - Math.round(getMessage(one).at) > gapMs
  }

  function getMessage(place: number): PlacedMessage {
    return { place, at: times.values[place] ?? 0, arrival: arrivals.values[place] ?? 0 }
  }

  /** The position of a message among the places of its conversation, or where it belongs. */
  function findPosition(places: readonly number[], place: number): number {
    const { at, arrival } = getMessage(place)
    let low = 0
    let high = places.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = getMessage(places[middle] ?? 0)
      if (other.at < at || (other.at === at && other.arrival < arrival)) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    push,
    remove,
    findSurroundings,
    /** The name of who wrote a message; null where none is known. */
    getSpeaker: speakers.getName,
    getSpeakerNumber: speakers.getNumber,
    get bytes() {
      const entries = conversationOf.length * bytesOfEntry
      return conversationOf.bytes + times.bytes + arrivals.bytes + speakers.bytes + entries
    },
  }
}
