/** A message by its place in the table. Its time is in milliseconds; of equal times the earlier arrival is first. */
export type PlacedMessage = { place: number; at: number; arrival: number }

/** The messages of conversations in their order. */
export function createConversationOrder() {
  const conversations = new Map<string, PlacedMessage[]>()

  function add(conversation: string, message: PlacedMessage): void {
    const messages = conversations.get(conversation) ?? []
    conversations.set(conversation, messages)
    messages.splice(findPosition(messages, message), 0, message)
  }

  function remove(conversation: string, message: PlacedMessage): void {
    const messages = conversations.get(conversation) ?? []
    const position = findPosition(messages, message)
    if (messages[position]?.place === message.place) messages.splice(position, 1)
    if (messages.length === 0) conversations.delete(conversation)
  }

  /** The messages around one, up to `distance` on each side and to a longer pause, in their order with itself among them. */
  function listAround(
    conversation: string,
    message: PlacedMessage,
    { distance, gapMs }: { distance: number; gapMs: number },
  ): { messages: PlacedMessage[]; isCutBefore: boolean; isCutAfter: boolean } {
    const all = conversations.get(conversation) ?? []
    const position = findPosition(all, message)
    let first = position
    while (first > 0 && position - first < distance && !isPause(all, first - 1, gapMs)) first -= 1
    let last = position
    while (last < all.length - 1 && last - position < distance && !isPause(all, last, gapMs)) last += 1
    return {
      messages: all.slice(first, last + 1),
      isCutBefore: position - first === distance && first > 0,
      isCutAfter: last - position === distance && last < all.length - 1,
    }
  }

  return { add, remove, listAround }
}

/** Whether a message is followed by a longer pause. */
function isPause(messages: readonly PlacedMessage[], position: number, gapMs: number): boolean {
  return (messages[position + 1]?.at ?? 0) - (messages[position]?.at ?? 0) > gapMs
}

/** The position of a message, or where it belongs. */
function findPosition(messages: readonly PlacedMessage[], { at, arrival }: PlacedMessage): number {
  let low = 0
  let high = messages.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const message = messages[middle]
    if (message && (message.at < at || (message.at === at && message.arrival < arrival))) low = middle + 1
    else high = middle
  }
  return low
}
