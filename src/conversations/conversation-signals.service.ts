import type { Transaction } from '../db/transaction.ts'
import type { ConversationSignals } from '../domain/worth/worth.ts'
import { placeInConversation } from '../domain/worth/worth-context.ts'
import { findMessagesBefore } from '../lifecycle/index.ts'
import type { Context, Placed } from './message-draft.ts'

/** The earlier messages on which the worth of each message of a call depends, beside its text. */
export async function findConversationSignals(
  tx: Transaction,
  placed: readonly Placed[],
  { scope, conversation, sensitivity }: Context,
): Promise<ConversationSignals[]> {
  const order = placed
    .map((each, index) => ({ ...each, index }))
    .sort((one, other) => one.position - other.position)
  const [first] = order
  const spots = first ? [{ scope, conversation, sensitivity, at: first.at }] : []
  const [before = []] = await findMessagesBefore(tx, spots)
  const said = order.map(({ message: { role, name, text } }) => ({ role, name, text }))
  const signals: ConversationSignals[] = []
  for (const [at, { text, ...each }] of placeInConversation(said, before).entries())
    signals[order[at]?.index ?? at] = each
  return signals
}
