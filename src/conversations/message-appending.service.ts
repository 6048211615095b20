import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import { createMessageHandle, type Handle, hasSameDetail } from '../domain/identity/handles.ts'
import { identifyContent } from '../domain/payloads/message-content.ts'
import { hasSameVisibility } from '../domain/trust/caller.ts'
import { chooseSourceType, chooseWriteScope, requireCeiling } from '../domain/trust/write-trust.ts'
import { type AppError, createFaultError } from '../kernel/errors.ts'
import { mapInTurns } from '../kernel/turns.ts'
import {
  type CreationResources,
  createErasedContentError,
  type Draft,
  draftRecord,
  type HandleMatch,
  insertRecords,
  lookUpHandles,
  mergeLookups,
} from '../records/index.ts'
import { findConversationSignals } from './conversation-signals.service.ts'
import type { AppendedMessages, StoredMessage } from './conversations.schemas.ts'
import type { ConversationsService } from './conversations.service.ts'
import { takePlaces } from './message-appending.queries.ts'
import { createMessageConflictError } from './message-comparison.ts'
import {
  type AppendContext,
  type Context,
  createMessageRecord,
  describePlace,
  type Placed,
} from './message-draft.ts'
import { placeMessages } from './message-placing.service.ts'
import { type SaidMessages, saysAnything } from './message-reading/said-messages.ts'
import { type KnownHandles, linkSpeakers, listSpeakerHandles } from './speakers.service.ts'

type Resources = CreationResources & { conversations: Pick<ConversationsService, 'describeWritten'> }

type Pending = Pick<Placed, 'purgedPlace'> & {
  handle: ReturnType<typeof createMessageHandle>
  draft: Draft
  item: StoredMessage
  /** The place in the request. */
  index: number
}

export type MessageAppending = ReturnType<typeof createMessageAppending>

export function createMessageAppending(resources: Resources) {
  const { db, clock, ids, seal, textLanguage, defaultSensitivity, policies, conversations } = resources

  /**
   * Stores messages of a conversation, all or none. A message that is there already is left as it is. One that says nothing, and a
   * prompt, is skipped.
   */
  async function append(
    call: CallContext,
    conversation: string,
    given: SaidMessages,
  ): Promise<AppendedMessages> {
    const { caller } = call
    const sensitivity = given.sensitivity ?? defaultSensitivity
    requireCeiling(caller, sensitivity)
    chooseSourceType(caller, given.source_type)
    const scope = chooseWriteScope(caller, given.scope)
    return transact(db, call, async (tx) => {
      const place = { scope, conversation }
      const context = { caller, now: clock.now(), sensitivity, ...place }
      const placed = await placeMessages(tx, ids, given.messages.filter(saysAnything), context)
      const writing = { ...context, given, policies: await policies.getAll(tx) }
      const pending = await draftAll(tx, placed, writing)
      const stored = await store(tx, pending, writing)
      const byIndex = new Map(stored.map((item, at) => [pending[at]?.index, item]))
      const items = given.messages.map(({ id, index }) => byIndex.get(index) ?? createSkipped(id))
      return { items, conversation: await conversations.describeWritten(tx, caller, place) }
    })
  }

  async function draftAll(
    tx: Transaction,
    placed: readonly Placed[],
    context: AppendContext,
  ): Promise<Pending[]> {
    const signals = await findConversationSignals(tx, placed, context)
    return mapInTurns(placed, (each, order) => {
      const { index, text, calls, at } = each.message
      if (at && new Date(each.at) > context.now) throw createFutureError(index)
      const place = describePlace(each, context)
      const draft = draftRecord(createMessageRecord(each.message, place, context.given, context), {
        caller: context.caller,
        now: context.now,
        id: ids.next(),
        policies: context.policies,
        defaultSensitivity: context.sensitivity,
        conversationSignals: signals[order] ?? {},
      })
      const item = { message_id: each.id, record_id: draft.row.id, status: 'created' as const }
      return {
        handle: createMessageHandle(place, identifyContent(text, calls)),
        draft,
        item,
        index,
        purgedPlace: each.purgedPlace,
      }
    })
  }

  async function store(
    tx: Transaction,
    pending: readonly Pending[],
    context: AppendContext,
  ): Promise<StoredMessage[]> {
    const known = await findKnown(tx, pending, context)
    const firstByKey = new Map<string, Pending>()
    for (const each of pending)
      if (!firstByKey.has(formatDigest(each.handle))) firstByKey.set(formatDigest(each.handle), each)
    const drafts: Draft[] = []
    const items = pending.map((each) => {
      const found = known.find(each.handle)
      const stored = findStored(found, context)
      const first = firstByKey.get(formatDigest(each.handle)) ?? each
      if (!hasSameDetail(each.handle, first.handle) || stored?.is_same === false)
        throw createMessageConflictError().at(`/messages/${each.index}/id`)
      if (stored) return { ...each.item, record_id: stored.id, status: 'unchanged' as const }
      if (each !== first) return { ...first.item, status: 'unchanged' as const }
      drafts.push({ ...each.draft, handles: [{ ...each.handle, place: found?.nextPlace ?? null }] })
      return each.item
    })
    if (drafts.length > 0)
      await insert(tx, pending, await linkSpeakers(tx, { ids, seal }, drafts, { ...context, known }))
    return items
  }

  /** Unused handles stay locked until the transaction ends, so the second of two concurrent calls finds the first's records. */
  async function findKnown(
    tx: Transaction,
    pending: readonly Pending[],
    { scope, sensitivity }: Context,
  ): Promise<KnownHandles> {
    const handles = [
      ...pending.map(({ handle }) => handle),
      ...listSpeakerHandles(pending.map(({ draft }) => draft)),
    ]
    const lookups = mergeLookups(handles.map((each) => ({ ...each, scope, lock: 'if_unused' })))
    const { matches, mayBeErased } = await lookUpHandles(tx, lookups, sensitivity)
    const found = new Map(lookups.map((each, index) => [formatDigest(each), matches[index]]))
    return { find: (handle) => found.get(formatDigest(handle)), mayBeErased }
  }

  async function insert(
    tx: Transaction,
    pending: readonly Pending[],
    drafts: readonly Draft[],
  ): Promise<void> {
    const { erasedIds } = await insertRecords(tx, drafts, { textLanguage, seal })
    const erased = pending.find(({ draft }) => erasedIds.has(draft.row.id))
    if (erased) throw createErasedContentError().at(`/messages/${erased.index}`)
    const created = new Set(drafts.map(({ row }) => row.id))
    const taken = pending.flatMap(({ draft: { row }, purgedPlace }) =>
      purgedPlace && created.has(row.id) ? [{ record_id: row.id, departed_id: purgedPlace.departed_id }] : [],
    )
    if (taken.length > 0) await takePlaces(tx, taken)
  }

  return { append }
}

function createSkipped(id: string | undefined) {
  return { ...(id === undefined ? {} : { message_id: id }), status: 'skipped' as const }
}

function findStored(found: HandleMatch | undefined, context: Context) {
  return found?.known.find((each) => hasSameVisibility(each, context))
}

function formatDigest({ digest }: Handle): string {
  return digest.toString('hex')
}

function createFutureError(index: number): AppError {
  return createFaultError('A message cannot be stored.', {
    pointer: `/messages/${index}/at`,
    message: 'must not be in the future',
  })
}
