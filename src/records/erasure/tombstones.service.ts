import type { Database } from '../../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import type { Payload } from '../../domain/payloads/payloads.ts'
import type { ListPage } from '../../domain/schemas/shapes.ts'
import { type Caller, presentScope } from '../../domain/trust/caller.ts'
import { CreationCursor, readPage } from '../../http/paging/paging.ts'
import { AppError } from '../../kernel/errors.ts'
import { presentVia } from '../via.ts'
import {
  deleteTombstone,
  findTombstonesOf,
  listTombstones,
  type SealedContent,
  type TombstoneRow,
} from './tombstones.queries.ts'
import type { Tombstone, TombstonesQuery } from './tombstones.schemas.ts'

export type TombstonesService = ReturnType<typeof createTombstonesService>

export function createTombstonesService({ db }: { db: Database }) {
  async function list(caller: Caller, { limit = 50, cursor }: TombstonesQuery): Promise<ListPage<Tombstone>> {
    const { items, ...next } = await readPage({
      caller,
      list: { list: 'tombstones' },
      limit,
      cursor,
      position: CreationCursor,
      read: (after, most) => listTombstones(db, caller.trust, most, after),
    })
    return { items: items.map(present), ...next }
  }

  async function lift(call: CallContext, id: string): Promise<void> {
    const isLifted = await transact(db, call, (tx) => deleteTombstone(tx, call.caller.trust, id))
    if (isLifted) return
    throw new AppError('tombstone_not_found', 'There is no tombstone with this id that the key may see.')
  }

  return { list, lift }
}

function present({ scope, created_at: at, via, ...rest }: TombstoneRow): Tombstone {
  return {
    ...rest,
    created_at: at.toISOString(),
    ...presentScope(scope),
    ...presentVia(via),
  }
}

type NewContent = { scope: string; payload: Payload }

/**
 * For each content, whether it was erased from its scope. Call it in the transaction that stores the content: no erase
 * can start until that transaction ends.
 */
export async function findErasedContents(
  db: Database,
  seal: Seal,
  contents: readonly NewContent[],
): Promise<boolean[]> {
  const sealed = contents.map(({ scope, payload }) =>
    [seal.digest(scope, payload), seal.earlierDigest(scope, payload)].flatMap((digest) =>
      digest ? [{ scope, digest }] : [],
    ),
  )
  const erased = await findTombstonesOf(db, seal.keyId, sealed.flat())
  const found = new Set(erased.map(formatSealed))
  return sealed.map((forms) => forms.some((form) => found.has(formatSealed(form))))
}

function formatSealed({ scope, digest }: SealedContent): string {
  return JSON.stringify([scope, digest.toString('hex')])
}

/** The ids of those records whose content was erased from their scope with another record. */
export async function findErasedRecords(
  db: Database,
  seal: Seal,
  records: readonly (NewContent & { id: string })[],
): Promise<Set<string>> {
  if (records.length === 0) return new Set()
  const erased = await findErasedContents(db, seal, records)
  return new Set(records.flatMap(({ id }, index) => (erased[index] ? [id] : [])))
}

export async function requireNotErasedContent(
  tx: Transaction,
  seal: Seal,
  content: NewContent,
): Promise<void> {
  const [isErased] = await findErasedContents(tx, seal, [content])
  if (isErased) throw createErasedContentError()
}

export function createErasedContentError(): AppError {
  return new AppError('erased_content', 'The same content was erased from this scope.')
}
