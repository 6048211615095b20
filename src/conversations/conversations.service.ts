import Type from 'typebox'
import type { Database } from '../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import { isOpenTo } from '../db/visibility.ts'
import { type Caller, type Sensitivity, unscoped } from '../domain/caller.ts'
import { messageHandle } from '../domain/handles.ts'
import { type ListPage, RowNumber, Time } from '../domain/shapes.ts'
import type { Seal } from '../domain/tombstone-seal.ts'
import { chooseSourceType, chooseWriteScope, requireCeiling } from '../domain/write-trust.ts'
import { readPage } from '../http/paging.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import type { PoliciesService } from '../policies/index.ts'
import {
  createErasedContentError,
  type Draft,
  draftRecord,
  findRecords,
  type HandleMatch,
  insertRecords,
  lookUpHandles,
  type MemoryRecord,
  presentRecord,
  type RedactedRecord,
  redactRecord,
} from '../records/index.ts'
import { findFigures, listConversations, listMessages, type Place } from './conversations.queries.ts'
import type {
  AppendedMessages,
  Conversation,
  ConversationSummary,
  ConversationsQuery,
  MessagesQuery,
  NewMessages,
  Where,
} from './conversations.schemas.ts'
import { type Context, placeOf, recordOf } from './message-draft.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  seal: Seal
  textLanguage: string
  defaultSensitivity: Sensitivity
  policies: Pick<PoliciesService, 'getAll'>
}

export type ConversationsService = ReturnType<typeof createConversationsService>

const MessageCursor = Type.Object({ at: Time(), arrival: RowNumber() })
const ConversationCursor = Type.Object({ last_at: Time(), scope: Type.String(), conversation: Type.String() })

type Seen = MemoryRecord | RedactedRecord
type Appended = AppendedMessages['items'][number]
type Pending = { handle: ReturnType<typeof messageHandle>; draft: Draft; item: Appended }

export function createConversationsService(resources: Resources) {
  const { db, clock, ids, seal, textLanguage, defaultSensitivity, policies } = resources

  /** Stores messages of a conversation, all or none. A message that is there already is left as it is. */
  async function append(
    call: CallContext,
    conversation: string,
    given: NewMessages,
  ): Promise<AppendedMessages> {
    const { caller } = call
    const sensitivity = given.sensitivity ?? defaultSensitivity
    requireCeiling(caller, sensitivity)
    chooseSourceType(caller, given.source_type)
    const scope = chooseWriteScope(caller, given.scope)
    return transact(db, call, async (tx) => {
      const context = { caller, now: clock.now(), conversation, scope, sensitivity }
      const pending = await draftAll(tx, given, context)
      const items = await store(tx, pending, context)
      return { items, conversation: await describe(tx, caller, { scope, conversation }) }
    })
  }

  async function draftAll(tx: Transaction, given: NewMessages, context: Context): Promise<Pending[]> {
    const known = await policies.getAll(tx)
    return given.messages.map((message, index) => {
      const place = placeOf(message, index, context)
      const record = recordOf(message, place, given, context)
      if (new Date(place.at) > context.now) throw inFuture(index)
      const draft = draftRecord(record, {
        ...{ caller: context.caller, now: context.now, id: ids.next(), policies: known },
        defaultSensitivity: context.sensitivity,
      })
      const item = { message_id: place.message_id, record_id: draft.row.id, status: 'created' as const }
      return { handle: messageHandle(place, message.content), draft, item }
    })
  }

  /** Unused ids stay locked until the transaction ends, so the second of two concurrent calls finds the first's messages. */
  async function store(tx: Transaction, pending: readonly Pending[], context: Context): Promise<Appended[]> {
    const firstByKey = new Map<string, Pending>()
    for (const each of pending) if (!firstByKey.has(keyOf(each))) firstByKey.set(keyOf(each), each)
    // In one order, so that two concurrent calls wait for each other and do not deadlock.
    const firsts = [...firstByKey].sort(([one], [other]) => (one < other ? -1 : 1))
    const lookups = firsts.map(([, { handle }]) => ({
      ...handle,
      ...{ scope: context.scope, lock: 'if_unused' as const },
    }))
    const { matches } = await lookUpHandles(tx, lookups, context.sensitivity)
    const foundByKey = new Map(firsts.map(([key], index) => [key, matches[index]]))
    const drafts: Draft[] = []
    const items = pending.map((each, index) => {
      const found = foundByKey.get(keyOf(each))
      const stored = findStored(found, context)
      const first = firstByKey.get(keyOf(each)) ?? each
      if (!sameDetail(each, first) || stored?.is_same === false) throw differs(index)
      if (stored) return { ...each.item, record_id: stored.id, status: 'unchanged' as const }
      if (each !== first) return { ...first.item, status: 'unchanged' as const }
      drafts.push({ ...each.draft, handles: [{ ...each.handle, place: found?.nextPlace ?? null }] })
      return each.item
    })
    if (drafts.length > 0) await insert(tx, pending, drafts)
    return items
  }

  async function insert(
    tx: Transaction,
    pending: readonly Pending[],
    drafts: readonly Draft[],
  ): Promise<void> {
    const { erasedIds } = await insertRecords(tx, drafts, textLanguage, seal)
    const erased = pending.findIndex(({ draft }) => erasedIds.has(draft.row.id))
    if (erased >= 0) throw createErasedContentError().at(`/messages/${erased}`)
  }

  /** The figures of a conversation, as far as the caller sees it. */
  async function describe(conn: Database, caller: Caller, place: Place): Promise<Conversation> {
    const { messages, first_at, last_at, speakers } = await findFigures(conn, caller.trust, place)
    return {
      id: place.conversation,
      ...(place.scope === unscoped ? {} : { scope: place.scope }),
      messages,
      speakers,
      ...(first_at ? { first_at: first_at.toISOString() } : {}),
      ...(last_at ? { last_at: last_at.toISOString() } : {}),
    }
  }

  async function read(caller: Caller, conversation: string, where: Where): Promise<Conversation> {
    const found = await describe(db, caller, placeFor(caller, conversation, where))
    if (found.messages === 0) throw notFound()
    return found
  }

  async function listIn(
    caller: Caller,
    conversation: string,
    { limit = 100, cursor, ...where }: MessagesQuery,
  ): Promise<ListPage<Seen>> {
    const { trust } = caller
    const place = placeFor(caller, conversation, where)
    const { items: rows, ...next } = await readPage({
      ...{ caller, list: { messages: place }, limit, cursor, position: MessageCursor },
      read: (after, most) => listMessages(db, trust, place, { after, limit: most }),
    })
    const ids = rows.map(({ id }) => id)
    const byId = new Map((await findRecords(db, ids, trust)).map((each) => [each.id, each]))
    const now = clock.now()
    const items = ids.flatMap((id): Seen[] => {
      const stored = byId.get(id)
      if (!stored || stored.forgotten_at) return []
      return [isOpenTo(trust, stored.sensitivity) ? presentRecord(stored, now) : redactRecord(stored, now)]
    })
    return { items, ...next }
  }

  async function list(
    caller: Caller,
    { scope, limit = 100, cursor }: ConversationsQuery,
  ): Promise<ListPage<ConversationSummary>> {
    const { items, ...next } = await readPage({
      ...{ caller, list: { conversations: scope ?? null }, limit, cursor, position: ConversationCursor },
      read: (after, most) => listConversations(db, caller.trust, { scope, after, limit: most }),
    })
    const summaries = items.map((row) => ({
      id: row.conversation,
      ...(row.scope === unscoped ? {} : { scope: row.scope }),
      last_at: row.last_at,
    }))
    return { items: summaries, ...next }
  }

  return { append, read, list, listIn }
}

/** A key of one scope need not name it, a key of several must. */
export function placeFor(
  caller: Caller,
  conversation: string,
  { scope, unscoped: isUnscoped }: Where,
): Place {
  if (isUnscoped) return { conversation, scope: unscoped }
  return { conversation, scope: scope ?? chooseWriteScope(caller, undefined) }
}

function findStored(found: HandleMatch | undefined, { scope, sensitivity }: Context) {
  return found?.known.find((each) => each.scope === scope && each.sensitivity === sensitivity)
}

function keyOf({ handle }: Pick<Pending, 'handle'>): string {
  return handle.digest.toString('hex')
}

function sameDetail(one: Pending, other: Pending): boolean {
  return one.handle.detail?.equals(other.handle.detail ?? Buffer.alloc(0)) ?? false
}

function differs(index: number): AppError {
  return new AppError('message_differs', 'A message of this id says something else.').at(
    `/messages/${index}/id`,
  )
}

function inFuture(index: number): AppError {
  return new AppError('validation_failed', 'A message cannot be stored.', {
    errors: [{ pointer: `/messages/${index}/at`, message: 'must not be in the future' }],
  })
}

export function notFound(): AppError {
  return new AppError('conversation_not_found', 'No such conversation in this scope.')
}
