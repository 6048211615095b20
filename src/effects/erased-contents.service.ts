import type { Transaction } from '../db/transaction.ts'
import type { Payload } from '../domain/payloads/payloads.ts'
import { isHistory, type Status } from '../domain/schemas/vocabulary.ts'
import { type Effect, formatKey, type Row } from './effect.ts'
import { findContentsNearErased } from './effects.queries.ts'

/** Returns the ids of the records whose content was erased from their scope with another record. */
export type FindErased = (
  records: readonly { id: string; scope: string; payload: Payload }[],
) => Promise<ReadonlySet<string>>

/** The note in a list of changes about a record that does not come back. */
export const erasedContentNote = 'the same content was erased from its scope'

/**
 * The records that would be current again, or get another content, although this content was erased from their scope with
 * another record. Each with the reason why it stays as it is.
 */
export async function findErasedReturns(
  tx: Transaction,
  findErased: FindErased,
  effects: readonly Effect[],
  current: ReadonlyMap<string, Row>,
): Promise<[string, string][]> {
  const payloads = new Map(
    effects.flatMap(({ relation, owner, after }): [string | null, Payload][] =>
      relation === 'contents' && after?.['payload'] ? [[owner, after['payload'] as Payload]] : [],
    ),
  )
  const returning = effects.flatMap((effect) => {
    const { relation, owner, after } = effect
    const row = current.get(formatKey(effect))
    if (relation !== 'records' || owner === null || !after || !row) return []
    const isWritten = !isCurrent(row) || payloads.has(owner)
    return isWritten && isCurrent({ ...row, ...after }) ? [owner] : []
  })
  if (returning.length === 0) return []
  const stored = await findContentsNearErased(tx, returning)
  const contents = stored.map((each) => ({ ...each, payload: payloads.get(each.id) ?? each.payload }))
  return [...(await findErased(contents))].map((id) => [id, erasedContentNote])
}

function isCurrent({ forgotten_at: forgottenAt, status }: Row): boolean {
  return (forgottenAt ?? null) === null && !isHistory(status as Status)
}
