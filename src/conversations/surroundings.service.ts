import type { Transaction } from '../db/transaction.ts'
import type { Surroundings } from '../domain/worth.ts'
import { placeInConversation } from '../domain/worth-context.ts'
import { findSaidBefore } from '../lifecycle/index.ts'
import type { Context, Placed } from './message-draft.ts'

/** What the worth of each message of a call depends on beside its text: what was said before it. */
export async function describeSurroundings(
  tx: Transaction,
  placed: readonly Placed[],
  { scope, conversation, sensitivity }: Context,
): Promise<Surroundings[]> {
  const order = placed
    .map((each, index) => ({ ...each, index }))
    .sort((one, other) => one.position - other.position)
  const [first] = order
  const spots = first ? [{ scope, conversation, sensitivity, at: first.at }] : []
  const [before = []] = await findSaidBefore(tx, spots)
  const said = order.map(({ message: { role, name, content } }) => ({
    role,
    text: content,
    ...(name === undefined ? {} : { name }),
  }))
  const surroundings: Surroundings[] = []
  for (const [at, { text, role, ...each }] of placeInConversation(said, before).entries())
    surroundings[order[at]?.index ?? at] = each
  return surroundings
}
