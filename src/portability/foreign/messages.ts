import { AppError } from '../../kernel/errors.ts'
import type { Reading, Refused } from './items.ts'

export type Message = {
  id: string
  role: string
  name?: string | undefined
  content: string
  at: string | undefined
}
/** A message and its place in the item. One that is refused does not affect the others. */
export type PlacedMessage = (Message & { place: string }) | Refused

/** The message at a place of the item; none where nothing was said. */
export function placeMessage(
  line: number,
  place: string,
  read: () => Message | undefined,
): readonly PlacedMessage[] {
  try {
    const message = read()
    return message === undefined ? [] : [{ ...message, place }]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [{ line, error: error.at(place) }]
  }
}

/**
 * The messages of a conversation in their order. A message without a time has that of the message before it, or of the
 * conversation.
 */
export function createMessageItems(
  line: number,
  conversation: string,
  messages: readonly PlacedMessage[],
  begun: string | undefined,
): Reading[] {
  const seen = new Map<string | undefined, number>()
  let time = begun
  return messages.map((each) => {
    if ('error' in each) return each
    const { at, place, ...message } = each
    time = at ?? time
    const before = seen.get(time) ?? 0
    seen.set(time, before + 1)
    const source = `${conversation}#${message.id}`
    return { line, source, place, message: { conversation, ...message }, at: time, before }
  })
}

export type MessagePlacing = (
  line: number,
  conversation: string,
  message: Message,
  source?: string,
) => Reading

/** Makes items of messages that come one by one, in the order of their conversations. */
export function createMessagePlacing(): MessagePlacing {
  const latest = new Map<string, { at: string | undefined; before: number }>()
  return (line, conversation, { at, ...message }, source = `${conversation}#${message.id}`) => {
    const last = latest.get(conversation)
    const time = at ?? last?.at
    const before = last !== undefined && last.at === time ? last.before + 1 : 0
    latest.set(conversation, { at: time, before })
    return { line, source, place: '', message: { conversation, ...message }, at: time, before }
  }
}
