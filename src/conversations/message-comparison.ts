import { identifyContent, type MessageCalls } from '../domain/payloads/message-content.ts'
import { computePosition } from '../domain/payloads/message-place.ts'
import { AppError } from '../kernel/errors.ts'

/** By what a message without an id is recognised. */
type WrittenMessage = {
  role: string
  name?: string | null | undefined
  text: string
  calls: MessageCalls
}
type Known = WrittenMessage & { message_id: string }

/** A place in the order of a conversation: of a message that is stored, or of one that was purged. */
export type Place = { at: string } & ({ message: Known } | { departed_id: string })

/** The place of a purged message, which a message sent again takes. */
export type PurgedPlace = { departed_id: string; at: string; position: number }

export type Comparison = { messageId: string | undefined; purgedPlace: PurgedPlace | undefined }

/**
 * Compares each message with the first places of the conversation. `places` has at least one more than there are
 * messages, or all. What a purged message said is not known any more: only if the whole conversation is sent again, the message at
 * that place is the same. Otherwise the messages are new: the agent sends each message once.
 */
export function compareMessages(
  messages: readonly (WrittenMessage & { id?: string | undefined })[],
  places: readonly Place[],
): Comparison[] {
  const known = messages.map((message, index) => {
    const place = places[index]
    return place && 'message' in place && hasSameContent(message, place.message) ? place.message : undefined
  })
  const purgedPlaces = isSentAgain(known, places) ? listPurgedPlaces(places) : []
  return messages.map(({ id }, index) => {
    const same = id === undefined ? known[index] : undefined
    const purgedPlace = purgedPlaces[index]
    return { messageId: same?.message_id, purgedPlace }
  })
}

/**
 * Whether messages are a whole conversation, which reaches to the last place, or its beginning. One equal message is not
 * enough for a beginning: an agent answers many a question with "How can I help you?".
 */
function isSentAgain(known: readonly (Known | undefined)[], places: readonly Place[]): boolean {
  const same = known.filter((each) => each !== undefined).length
  if (places.length <= known.length) return same > 0
  const stored = places.slice(0, known.length).filter((place) => 'message' in place).length
  return same > 1 && same === stored
}

function hasSameContent(one: WrittenMessage, other: WrittenMessage): boolean {
  return (
    one.role === other.role &&
    (one.name ?? null) === (other.name ?? null) &&
    identifyContent(one.text, one.calls) === identifyContent(other.text, other.calls)
  )
}

function listPurgedPlaces(places: readonly Place[]): (PurgedPlace | undefined)[] {
  let earlier = 0
  return places.map((place, index) => {
    earlier = place.at === places[index - 1]?.at ? earlier + 1 : 0
    if (!('departed_id' in place)) return undefined
    const { departed_id, at } = place
    return { departed_id, at, position: computePosition(at, earlier) }
  })
}

export function createMessageConflictError(): AppError {
  return new AppError('message_conflict', 'The message with this id has another text, calls or writer.')
}
