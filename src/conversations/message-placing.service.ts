import type { Transaction } from '../db/transaction.ts'
import { computePosition, formatTime } from '../domain/payloads/message-place.ts'
import type { Ids } from '../kernel/ids.ts'
import {
  countAtTimes,
  findLatestSince,
  leavePlaces,
  listEarliest,
  lockOrder,
} from './message-appending.queries.ts'
import { type Comparison, compareMessages } from './message-comparison.ts'
import type { Context, Placed } from './message-draft.ts'
import { isPrompt, type SaidMessage } from './message-reading/said-messages.ts'

/** Gives each message of a call its id, its time and its position in the conversation. */
export async function placeMessages(
  tx: Transaction,
  ids: Ids,
  messages: readonly SaidMessage[],
  context: Context,
): Promise<Placed[]> {
  await lockOrder(tx, context)
  const compared = await compareWithPlaces(tx, messages, context)
  const arrival = await findArrival(tx, messages, context)
  const named = messages.map((message, index) => {
    const { messageId, purgedPlace } = compared.get(message) ?? {}
    const id = message.id ?? messageId ?? ids.next()
    return { message, id, at: purgedPlace?.at ?? message.at ?? formatTime(arrival + index), purgedPlace }
  })
  return numberAll(tx, named, context)
}

/**
 * A message without an id is the one at its place in the conversation, if that says the same. Prompts have no place. One
 * more place is read for a prompt at the beginning, which earlier versions stored.
 */
async function compareWithPlaces(tx: Transaction, messages: readonly SaidMessage[], context: Context) {
  if (messages.every(({ id }) => id !== undefined)) return new Map<SaidMessage, Comparison | undefined>()
  const spoken = messages.filter((message) => !isPrompt(message))
  const listed = await listEarliest(tx, context, messages.length + 2)
  const places = listed.filter((place) => 'departed_id' in place || !isPrompt(place.message))
  const isVacant = listed.length > 0 && listed.every((place) => 'departed_id' in place)
  if (isVacant) await leavePlaces(tx, context)
  const compared = compareMessages(spoken, places)
  return new Map(spoken.map((message, index) => [message, compared[index]]))
}

/**
 * The time of the first message without a time, in microseconds. The others follow a microsecond apart, so that an export keeps
 * their order. All of them come after the messages of a call a moment ago.
 */
async function findArrival(tx: Transaction, messages: readonly SaidMessage[], context: Context) {
  const now = computePosition(context.now.toISOString())
  if (messages.every(({ at }) => at !== undefined)) return now
  const latest = await findLatestSince(tx, context, context.now)
  return latest === undefined ? now : Math.max(now, computePosition(latest) + 1)
}

/** Messages of equal time are numbered in the order in which they came. */
async function numberAll(
  tx: Transaction,
  messages: readonly Omit<Placed, 'position'>[],
  context: Context,
): Promise<Placed[]> {
  const times = [...new Set(messages.map(({ at }) => at))]
  const before = await countAtTimes(tx, context, times)
  return messages.map((each) => {
    if (each.purgedPlace) return { ...each, position: each.purgedPlace.position }
    const earlier = before.get(computePosition(each.at)) ?? 0
    before.set(computePosition(each.at), earlier + 1)
    return { ...each, position: computePosition(each.at, earlier) }
  })
}
