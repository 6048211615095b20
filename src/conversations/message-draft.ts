import { createHash } from 'node:crypto'
import type { Caller, Sensitivity } from '../domain/caller.ts'
import { unscoped } from '../domain/caller.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import type { MessagePlace } from '../domain/message-place.ts'
import type { NewRecord } from '../records/index.ts'
import type { NewMessage, NewMessages } from './conversations.schemas.ts'

export type Context = {
  caller: Caller
  now: Date
  conversation: string
  scope: string
  sensitivity: Sensitivity
}

/** Which message it is. Without an id of its own, a message is known by its number, its time and what it says. */
export function placeOf(message: NewMessage, index: number, { conversation, now }: Context): MessagePlace {
  const { position, role, name, metadata } = message
  const number = position ?? index
  return {
    id: conversation,
    message_id: message.id ?? deriveId(message, number),
    ...(position === undefined ? {} : { position }),
    at: message.at ?? momentOf(index, now),
    role,
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined ? {} : { metadata }),
  }
}

/** Messages of one call are written one after the other: a microsecond apart, so that their order outlives an export. */
function momentOf(index: number, now: Date): string {
  return now.toISOString().replace('Z', `${String(index).padStart(3, '0')}Z`)
}

function deriveId({ role, name, content, at }: NewMessage, number: number): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([number, at ?? null, role, name ?? null, content]))
    .digest('base64url')
  return `${number}-${digest.slice(0, 16)}`
}

/** The episode that a message is stored as. */
export function recordOf(
  message: NewMessage,
  place: MessagePlace,
  { tags, source_type }: NewMessages,
  { caller, scope, sensitivity }: Context,
): NewRecord {
  const source = `conversation:${place.id}#${place.message_id}`
  return {
    type: 'episodic',
    payload: {
      kind: 'episodic',
      conversation: place,
      timeline: [{ t: place.at, event_kind: 'message', ref: source, summary: message.content }],
    },
    sensitivity,
    created_at: place.at,
    ...(scope === unscoped ? {} : { scope }),
    ...(tags === undefined ? {} : { tags }),
    ...(source_type === undefined ? {} : { source_type }),
    provenance: { sources: [{ kind: 'event', ref: source, timestamp: place.at }], created_by: caller.name },
    interpretation: interpret(place),
  }
}

function interpret({ role, name }: MessagePlace): Interpretation {
  const speaker = name ?? role
  return {
    status: 'tentative',
    summary: '',
    proposed_type: 'episodic',
    topical_labels: [],
    mentions: [{ surface: speaker, entity_kind: 'Person', confidence: 1, aliases: [] }],
    relation_candidates: [],
    reference_candidates: [],
    extraction_confidence: 1,
  }
}
