import type { Database } from '../db/connection.ts'
import { maxAnswerBytes } from '../db/fragments/json/json-size.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import type { Trust } from '../domain/trust/caller.ts'
import { readPage } from '../http/paging/paging.ts'
import { AppError } from '../kernel/errors.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import {
  createAnswerLimit,
  type Erasure,
  type ErasureReceipt,
  lockRecords,
  type WrittenRecord,
} from '../records/index.ts'
import { listMessages, type Place } from './conversations.queries.ts'
import type { ConversationErasure, ConversationRemovalQuery } from './conversations.schemas.ts'
import { createNotFoundError, MessageCursor, placeFor } from './conversations.service.ts'

type Reason = { actor: string; rationale: string }

type Resources = {
  db: Database
  forgetting: { forget(call: CallContext, id: string, given: Reason): Promise<WrittenRecord> }
  erasure: { erase(call: CallContext, id: string, given: Erasure): Promise<ErasureReceipt> }
}

export type ConversationRemovalService = ReturnType<typeof createConversationRemovalService>

/** The result for each message: the answer about its record, or why it was kept. */
export type Removal<T> = { outcomes: { id: string; outcome: T | AppError }[]; next_cursor?: string }

/** `start` is called for each attempt of the transaction. */
type Removing<T> = {
  start: () => (call: CallContext, id: string) => Promise<T>
  hasForgotten?: boolean
}

type RemovalPage = Omit<ConversationRemovalQuery, keyof Reason>

/** How many messages one request removes: each takes some milliseconds, and a request has a deadline. */
const maxRemoved = 500

/** Removes the messages of a conversation one by one, each under the rules of its own record. */
export function createConversationRemovalService({ db, forgetting, erasure }: Resources) {
  async function forget(
    call: CallContext,
    conversation: string,
    { actor, rationale, ...where }: ConversationRemovalQuery,
  ): Promise<Removal<WrittenRecord>> {
    return removeEach(call, conversation, where, {
      start: () => {
        const limit = createAnswerLimit(maxAnswerBytes)
        return async (each, id) => limit(await forgetting.forget(each, id, { actor, rationale }))
      },
    })
  }

  async function erase(
    call: CallContext,
    conversation: string,
    { scope, unscoped, cursor, ...input }: ConversationErasure,
  ): Promise<Removal<ErasureReceipt>> {
    return removeEach(
      call,
      conversation,
      omitNulls({ scope, unscoped, cursor }),
      // A forgotten message is stored until its retention ends, and can be restored.
      { start: () => (each, id) => erasure.erase(each, id, input), hasForgotten: true },
    )
  }

  async function removeEach<T>(
    call: CallContext,
    conversation: string,
    { cursor, ...where }: RemovalPage,
    { start, hasForgotten = false }: Removing<T>,
  ): Promise<Removal<T>> {
    const { caller } = call
    const place = placeFor(caller, conversation, where)
    return transact(db, call, async (tx) => {
      if (cursor === undefined) await requireMessage(tx, caller.trust, place, hasForgotten)
      const { items: found, ...next } = await readPage({
        caller,
        list: { removal: place },
        limit: maxRemoved,
        cursor,
        position: MessageCursor,
        sealedBy: tx,
        read: (after, limit) => listMessages(tx, caller.trust, place, { after, limit, hasForgotten }),
      })
      // All at once, in the order of their ids: one by one, in the order of the conversation, deadlocked with other writers.
      await lockRecords(
        tx,
        found.map(({ id }) => id),
      )
      const remove = start()
      const outcomes: Removal<T>['outcomes'] = []
      for (const { id } of found)
        outcomes.push({ id, outcome: await catchRefusal(() => remove({ ...call, tx }, id)) })
      return { outcomes, ...next }
    })
  }

  return { forget, erase }
}

/** A conversation is there as long as the caller sees a message of it. To an erase, a forgotten one is there too. */
async function requireMessage(
  tx: Transaction,
  trust: Trust,
  place: Place,
  hasForgotten: boolean,
): Promise<void> {
  const [message] = await listMessages(tx, trust, place, { limit: 1, hasForgotten })
  if (!message) throw createNotFoundError()
}

/** A refusal is an answer about this message; it is found before anything is written. */
async function catchRefusal<T>(remove: () => Promise<T>): Promise<T | AppError> {
  try {
    return await remove()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}
