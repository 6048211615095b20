import type { WordsOfMessage } from '../context.queries.ts'
import type { MessageAround } from './conversation-order.ts'
import type { DayNumbers } from './day-numbers.ts'
import type { TextTable } from './text-table.ts'

/** Of the messages around the best matches: which, and how far. */
export type WindowLimits = {
  hits: number
  /** So many that lend their words are requested on each side, up to a longer pause. */
  distance: number
  gapMs: number
}

type Hit = { id: string; place: number }
type Placed = { id: string; place: number; at: number; arrival: number }
type Window = Omit<MessageAround, 'messages'> & { messages: Placed[] }

/** A few more than requested, because not every match may answer. */
const spareHits = 3
const widest = 64

/** The messages around matches in a table. Those that may not lend their words are passed over, as if they did not exist. */
export function createWindows(
  table: TextTable,
  known: ReadonlyMap<string, { answers: boolean; lends: boolean }>,
  { around: limits, days }: { around?: WindowLimits | undefined; days?: DayNumbers | undefined },
) {
  const widths = new Map<string, number>()
  const windows = new Map<string, Window | undefined>()

  function findWindow({ id, place }: Hit, { distance, gapMs }: WindowLimits): Window | undefined {
    const around = table.listAround(place, { distance: widths.get(id) ?? distance, gapMs })
    if (!around) return undefined
    const messages = around.messages.map((message) => ({ id: table.getId(message.place), ...message }))
    return { ...around, messages }
  }

  /** Looks around the best of some matches, and returns the ids of the messages there. */
  function listIds(matches: readonly Hit[]): string[] {
    windows.clear()
    if (!limits) return []
    const hits = matches.slice(0, limits.hits + spareHits)
    for (const hit of hits) windows.set(hit.id, findWindow(hit, limits))
    return [...windows.values()].flatMap((window) => window?.messages.map(({ id }) => id) ?? [])
  }

  /** Whether enough is known around the best of the matches; those around which more is needed are widened. */
  function areWhole(matches: readonly Hit[]): boolean {
    if (!limits) return true
    const { distance, hits } = limits
    const best = matches.slice(0, hits)
    const short = best.filter(({ id }) => isShort(id, distance))
    for (const { id } of short) widths.set(id, 4 * (widths.get(id) ?? distance))
    return short.length === 0 && best.every(({ id }) => windows.has(id))
  }

  function isShort(hit: string, distance: number): boolean {
    const window = windows.get(hit)
    if (!window || (widths.get(hit) ?? distance) >= widest) return false
    const own = window.messages.findIndex(({ id }) => id === hit)
    const lacks = (side: readonly Placed[]) => side.filter(({ id }) => known.get(id)?.lends).length < distance
    return (
      (window.isCutBefore && lacks(window.messages.slice(0, own))) ||
      (window.isCutAfter && lacks(window.messages.slice(own + 1)))
    )
  }

  /** The messages around the best of the matches, each once, in the order of their conversations, with their words. */
  function listMessages(matches: readonly Hit[], words: readonly string[]): WordsOfMessage[] {
    if (!limits) return []
    const hits = matches.slice(0, limits.hits)
    const hitIds = new Set(hits.map(({ id }) => id))
    const conversations = new Map<string, Map<string, Placed>>()
    for (const hit of hits) {
      const window = windows.get(hit.id)
      if (!window) continue
      const messages = conversations.get(window.conversation) ?? new Map<string, Placed>()
      conversations.set(window.conversation, messages)
      const read = window.messages.filter(({ id }) => hitIds.has(id) || known.get(id)?.lends)
      for (const message of read) messages.set(message.id, message)
    }
    return [...conversations.values()].flatMap((messages) =>
      [...messages.values()]
        .sort((one, other) => one.at - other.at || one.arrival - other.arrival)
        .flatMap((message, index) => readWords(message, words, index === 0)),
    )
  }

  function readWords(
    { id, place, at }: Placed,
    words: readonly string[],
    isFirst: boolean,
  ): WordsOfMessage[] {
    const message = table.readMessage(place, words)
    if (!message) return []
    const { lends = false, answers = false } = known.get(id) ?? {}
    return [
      {
        id,
        at: Math.round(at),
        isFirst,
        lends,
        isAnswer: answers && table.isOfDays(place, days),
        ...message,
      },
    ]
  }

  return { listIds, areWhole, listMessages }
}
