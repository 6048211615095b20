import Type from 'typebox'
import type { Database } from '../db/connection.ts'
import { readContent } from '../domain/payloads/message-content.ts'
import { computePosition } from '../domain/payloads/message-place.ts'
import type { Payload } from '../domain/payloads/payloads.ts'
import { type ListPage, RowNumber, Time } from '../domain/schemas/shapes.ts'
import { maskPayload } from '../domain/secrets/masked-payload.ts'
import { type Caller, isAllowed, isOpenTo, presentScope, unscoped } from '../domain/trust/caller.ts'
import { chooseWriteScope } from '../domain/trust/write-trust.ts'
import { readPage } from '../http/paging/paging.ts'
import { AppError } from '../kernel/errors.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import { joinFirst, readFirst } from '../records/index.ts'
import {
  type Figures,
  findFigures,
  listConversations,
  listMessages,
  type MessageRow,
  type Place,
} from './conversations.queries.ts'
import type {
  Conversation,
  ConversationQuery,
  ConversationsQuery,
  ListedMessage,
  MessagesQuery,
  WrittenConversation,
} from './conversations.schemas.ts'

export type ConversationsService = ReturnType<typeof createConversationsService>

export const MessageCursor = Type.Object({ at: Time(), arrival: RowNumber() })
const ConversationCursor = Type.Object({ newest: RowNumber() })

export function createConversationsService({ db }: { db: Database }) {
  /** The figures of a conversation, as far as the caller sees it. */
  async function describe(conn: Database, caller: Caller, place: Place): Promise<Conversation> {
    const [figures] = await findFigures(conn, caller.trust, [place])
    return present(figures ?? { ...place, messages: 0, speakers: [] })
  }

  /** The answer to a write. A key without `records:read` learns nothing of the messages of others. */
  async function describeWritten(conn: Database, caller: Caller, place: Place): Promise<WrittenConversation> {
    return isAllowed(caller, 'records:read') ? describe(conn, caller, place) : presentPlace(place)
  }

  async function read(caller: Caller, conversation: string, where: ConversationQuery): Promise<Conversation> {
    const found = await describe(db, caller, placeFor(caller, conversation, where))
    if (found.messages === 0) throw createNotFoundError()
    return found
  }

  async function listIn(
    caller: Caller,
    conversation: string,
    { limit = 100, cursor, mask_secrets: isMasked = false, ...where }: MessagesQuery,
  ): Promise<ListPage<ListedMessage>> {
    const { trust } = caller
    const place = placeFor(caller, conversation, where)
    const { items, ...next } = await readPage({
      caller,
      list: { messages: place },
      limit,
      cursor,
      position: MessageCursor,
      sealedBy: db,
      read: async (after, most) => {
        const rows = await listMessages(db, trust, place, { after, limit: most })
        const ids = rows.map(({ id }) => id)
        return joinFirst(rows, await readFirst(db, trust, ids))
      },
    })
    if (items.length === 0 && cursor === undefined) throw createNotFoundError()
    const messages = items.flatMap(({ stored, ...row }): ListedMessage[] => {
      if (!stored || stored.forgotten_at) return []
      const payload = isOpenTo(trust, stored.sensitivity) ? stored.payload : undefined
      return [presentMessage(row, payload && isMasked ? maskPayload(payload) : payload)]
    })
    return { items: messages, ...next }
  }

  async function list(
    caller: Caller,
    { scope, limit = 100, cursor }: ConversationsQuery,
  ): Promise<ListPage<Conversation>> {
    const { items: rows, ...next } = await readPage({
      caller,
      list: { conversations: scope ?? null },
      limit,
      cursor,
      position: ConversationCursor,
      sealedBy: db,
      read: (after, most) => listConversations(db, caller.trust, { scope, after, limit: most }),
    })
    const figures = await findFigures(db, caller.trust, rows)
    const byPlace = new Map(figures.map((each) => [formatPlace(each), each]))
    return { items: rows.flatMap((row) => byPlace.get(formatPlace(row)) ?? []).map(present), ...next }
  }

  return { describeWritten, read, list, listIn }
}

function formatPlace({ scope, conversation }: Place): string {
  return JSON.stringify([scope, conversation])
}

function present(figures: Figures | (Place & { messages: 0; speakers: [] })): Conversation {
  const { messages, speakers } = figures
  const times = 'first_at' in figures && {
    first_at: figures.first_at.toISOString(),
    last_at: figures.last_at.toISOString(),
    updated_at: figures.updated_at.toISOString(),
  }
  return { ...presentPlace(figures), messages, speakers, ...times }
}

function presentPlace({ scope, conversation }: Place) {
  return { id: conversation, ...presentScope(scope) }
}

/** `payload` is undefined for a message that the caller sees only redacted. */
function presentMessage({ id, at: time }: MessageRow, payload: Payload | undefined): ListedMessage {
  const at = new Date(time).toISOString()
  if (payload?.kind !== 'episodic' || !payload.conversation)
    return { record_id: id, at, position: computePosition(time), redacted: true }
  const { message_id, role, name, position = computePosition(time), metadata } = payload.conversation
  const content = readContent(payload)
  const calls = payload.tool_graph.length === 0 ? undefined : payload.tool_graph
  return omitNulls({
    message_id,
    record_id: id,
    role,
    name,
    content,
    tool_calls: calls,
    at,
    position,
    metadata,
  })
}

/** A key of one scope need not name it, a key of several must. */
export function placeFor(
  caller: Caller,
  conversation: string,
  { scope, unscoped: isUnscoped }: ConversationQuery,
): Place {
  if (isUnscoped) return { conversation, scope: unscoped }
  return { conversation, scope: scope ?? chooseWriteScope(caller, undefined) }
}

export function createNotFoundError(): AppError {
  return new AppError(
    'conversation_not_found',
    'No such conversation in this scope. If it has another scope, name it in `scope`.',
  )
}
