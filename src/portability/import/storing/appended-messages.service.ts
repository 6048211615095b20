import { createMessageConflictError } from '../../../conversations/index.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { hasSameVisibility } from '../../../domain/trust/caller.ts'
import { type HandleMatch, lookUpHandles } from '../../../records/index.ts'
import { type ImportedCopy, isForeign } from '../drafting/imported-draft.ts'
import type { LineOutcomes } from './record-differences.ts'

/** The id under which the message of a copy is stored already, by the id of the copy. */
export type KnownAs = Map<string, string>

/**
 * Compares the messages of a foreign file with those that were appended to the same conversation, by their ids there.
 * An unused message id stays locked until the transaction ends, so a message that is appended meanwhile waits. Only
 * messages of the same sensitivity are compared, as in an append: what a caller does not see does not show.
 */
export async function compareAppended(
  tx: Transaction,
  copies: readonly ImportedCopy[],
): Promise<{ outcomes: LineOutcomes; knownAs: KnownAs }> {
  const knownAs: KnownAs = new Map()
  const outcomes: LineOutcomes = new Map()
  const messages = copies.flatMap((copy) => {
    const [handle] = isMessage(copy) ? copy.draft.handles : []
    return handle ? [{ copy, handle }] : []
  })
  const [first] = messages
  if (!first) return { outcomes, knownAs }
  // In one order, as in an append: two transactions wait for each other and do not deadlock.
  messages.sort((one, other) => one.handle.digest.compare(other.handle.digest))
  const lookups = messages.map(({ copy, handle }) => ({
    ...handle,
    scope: copy.draft.row.scope,
    lock: 'if_unused' as const,
  }))
  // All items of a file get one sensitivity.
  const { matches } = await lookUpHandles(tx, lookups, first.copy.draft.row.sensitivity)
  for (const [index, { copy }] of messages.entries()) {
    const stored = findStoredCopy(matches[index], copy)
    if (!stored) continue
    knownAs.set(copy.draft.row.id, stored.id)
    outcomes.set(copy, stored.is_same ? 'unchanged' : createMessageConflictError())
  }
  return { outcomes, knownAs }
}

function isMessage(copy: ImportedCopy): boolean {
  const { payload } = copy.draft.row
  return isForeign(copy) && payload.kind === 'episodic' && payload.conversation !== undefined
}

function findStoredCopy(match: HandleMatch | undefined, { draft: { row } }: ImportedCopy) {
  return match?.known.find((each) => hasSameVisibility(each, row))
}
