import type { Database } from '../db/connection.ts'
import { type CallContext, transact } from '../db/transaction.ts'
import { AppError } from '../kernel/errors.ts'
import { listMessages, type Place } from './conversations.queries.ts'
import type {
  ConversationErasure,
  ConversationRemoval,
  ConversationRemovalQuery,
} from './conversations.schemas.ts'
import { notFound, placeFor } from './conversations.service.ts'

type Reason = { actor: string; rationale: string }

type Resources = {
  db: Database
  forgetting: { forget(call: CallContext, id: string, given: Reason): Promise<unknown> }
  erasure: { erase(call: CallContext, id: string, given: Reason): Promise<unknown> }
}

export type ConversationRemovalService = ReturnType<typeof createConversationRemovalService>

/** How many messages one request removes: each takes some milliseconds, and a request has a deadline. */
const mostRemoved = 500

type Removed = ConversationRemoval['items'][number]

/** Removes the messages of a conversation one by one, each under the rules of its own record. */
export function createConversationRemovalService({ db, forgetting, erasure }: Resources) {
  async function forget(
    call: CallContext,
    conversation: string,
    { actor, rationale, ...where }: ConversationRemovalQuery,
  ): Promise<ConversationRemoval> {
    const place = placeFor(call.caller, conversation, where)
    return removeEach(call, place, (each, id) => forgetting.forget(each, id, { actor, rationale }))
  }

  async function erase(
    call: CallContext,
    conversation: string,
    { actor, rationale, ...where }: ConversationErasure,
  ): Promise<ConversationRemoval> {
    const place = placeFor(call.caller, conversation, where)
    return removeEach(call, place, (each, id) => erasure.erase(each, id, { actor, rationale }))
  }

  async function removeEach(
    call: CallContext,
    place: Place,
    remove: (call: CallContext, id: string) => Promise<unknown>,
  ): Promise<ConversationRemoval> {
    return transact(db, call, async (tx) => {
      const found = await listMessages(tx, call.caller.trust, place, { limit: mostRemoved + 1 })
      if (found.length === 0) throw notFound()
      const items: Removed[] = []
      for (const { id } of found.slice(0, mostRemoved))
        items.push(await removeOne({ ...call, tx }, id, remove))
      const isMore = found.length > mostRemoved && items.some(({ status }) => status === 'removed')
      return { items, has_more: isMore }
    })
  }

  /** A refusal is an answer about this message; it is found before anything is written. */
  async function removeOne(
    call: CallContext,
    id: string,
    remove: (call: CallContext, id: string) => Promise<unknown>,
  ): Promise<Removed> {
    try {
      await remove(call, id)
      return { record_id: id, status: 'removed' }
    } catch (error) {
      if (error instanceof AppError) return { record_id: id, status: 'kept', code: error.code }
      throw error
    }
  }

  return { forget, erase }
}
