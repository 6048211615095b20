import type { Interpretation } from '../domain/interpretation.ts'
import type { Policies } from '../domain/lifecycle/lifecycle.ts'
import type { MessagePlace } from '../domain/payloads/message-place.ts'
import { type Caller, presentScope, type Sensitivity } from '../domain/trust/caller.ts'
import { omitNulls } from '../kernel/omit-nulls.ts'
import type { NewRecord } from '../records/index.ts'
import type { PurgedPlace } from './message-comparison.ts'
import type { SaidMessage } from './message-reading/said-messages.ts'
import type { NewMessages } from './new-messages.schemas.ts'

export type Context = {
  caller: Caller
  now: Date
  conversation: string
  scope: string
  sensitivity: Sensitivity
}

/** All records of one call share these. */
export type AppendContext = Context & { given: Pick<NewMessages, 'tags' | 'source_type'>; policies: Policies }

/** A message whose id and position are known. */
export type Placed = {
  message: SaidMessage
  id: string
  at: string
  position: number
  /** The place of a purged message that it takes. */
  purgedPlace: PurgedPlace | undefined
}

export function describePlace(
  { message, id, at, position }: Placed,
  { conversation }: Context,
): MessagePlace {
  const { role, name, metadata } = message
  return omitNulls({ id: conversation, message_id: id, position, at, role, name, metadata })
}

/** The episode that a message is stored as. */
export function createMessageRecord(
  { text, calls }: Pick<SaidMessage, 'text' | 'calls'>,
  place: MessagePlace,
  { tags, source_type }: AppendContext['given'],
  { caller, scope, sensitivity }: Context,
): NewRecord {
  const source = `conversation:${place.id}#${place.message_id}`
  return omitNulls({
    type: 'episodic',
    payload: {
      kind: 'episodic',
      conversation: place,
      timeline: [
        { t: place.at, event_kind: 'message', ref: source, ...(text === '' ? {} : { summary: text }) },
      ],
      ...(calls.length === 0 ? {} : { tool_graph: calls }),
    },
    sensitivity,
    ...presentScope(scope),
    tags,
    source_type,
    provenance: { sources: [{ kind: 'event', ref: source, timestamp: place.at }], created_by: caller.name },
    interpretation: interpret(place),
  })
}

/** Only a message with a name mentions its writer: a role alone names no person. */
function interpret({ name }: MessagePlace): Interpretation {
  return {
    status: 'tentative',
    summary: '',
    proposed_type: 'episodic',
    topical_labels: [],
    mentions: name === undefined ? [] : [createSpeakerMention(name)],
    relation_candidates: [],
    reference_candidates: [],
    extraction_confidence: 1,
  }
}

export function createSpeakerMention(name: string): Interpretation['mentions'][number] {
  return { surface: name, entity_kind: 'Person', confidence: 1, aliases: [] }
}
