import type { Conversation, Message } from './corpus.ts'

/**
 * How old the messages are when the questions are asked. `written`: as dated in the corpus. `recent`: the last of a
 * conversation is of now, and the others are as much older as they were. `fresh`: its sessions follow each other
 * without the days between them, so that all are nearly new.
 */
export const ages = ['written', 'recent', 'fresh'] as const
export type Ages = (typeof ages)[number]

const hour = 3_600_000
/** Longer than the pause that ends a session, which is an hour. */
const betweenSessions = 2 * hour

export function setAges(conversation: Conversation, requested: Ages, now: Date): Conversation {
  if (requested === 'written') return conversation
  const { messages } = conversation
  const times = requested === 'recent' ? messages.map(timeOf) : joinSessions(messages)
  const shift = now.getTime() - Math.max(...times)
  const moved = messages.map((message, index) => ({
    ...message,
    at: new Date((times[index] ?? 0) + shift).toISOString(),
  }))
  return { ...conversation, messages: moved }
}

function joinSessions(messages: readonly Message[]): number[] {
  let left = 0
  let before = Number.POSITIVE_INFINITY
  return messages.map((message) => {
    const time = timeOf(message)
    left += Math.max(0, time - before - betweenSessions)
    before = time
    return time - left
  })
}

function timeOf({ at }: Message): number {
  return Date.parse(at)
}
