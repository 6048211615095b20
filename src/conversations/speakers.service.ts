import type { Transaction } from '../db/transaction.ts'
import { createEdge } from '../domain/edges/edges.ts'
import { type Handle, nameHandle } from '../domain/identity/handles.ts'
import type { Seal } from '../domain/identity/tombstone-seal.ts'
import { maskText } from '../domain/secrets/masking.ts'
import { presentScope } from '../domain/trust/caller.ts'
import { normaliseName } from '../domain/words/names.ts'
import { createEntityPayload, type ResolvedMention, resolveMentions } from '../entities/index.ts'
import type { Ids } from '../kernel/ids.ts'
import {
  type Descent,
  type Draft,
  draftRecord,
  findErasedContents,
  type HandleMatch,
  maxMentions,
} from '../records/index.ts'
import { type AppendContext, createSpeakerMention } from './message-draft.ts'

/** Links messages with the entities of those who wrote them. */

export type KnownHandles = { find(handle: Handle): HandleMatch | undefined; mayBeErased: boolean }

type Resources = { ids: Ids; seal: Seal }
type Situation = AppendContext & { known: KnownHandles }

/** A name, with the first message that has it. */
type Speaker = { name: string; first: Draft }

/** A stored entity, or the draft of a new one. */
type Entity = { id: string; draft?: Draft }

/** The handles by which the entities of the speakers are looked up. */
export function listSpeakerHandles(messages: readonly Draft[]): Handle[] {
  return [...listSpeakers(messages).values()].map(({ name }) => nameHandle(name))
}

/**
 * Returns the messages, each with an edge to the entity of its speaker, and the new entities. A name that was erased from the
 * scope gets no new entity.
 */
export async function linkSpeakers(
  tx: Transaction,
  { ids, seal }: Resources,
  messages: readonly Draft[],
  situation: Situation,
): Promise<Draft[]> {
  const speakers = listSpeakers(messages)
  const { known, scope, now } = situation
  const resolved = resolveMentions(
    Array.from(speakers.values(), ({ name }) => createSpeakerMention(name)),
    Array.from(speakers.values(), ({ name }) => known.find(nameHandle(name))),
    scope,
  )
  const entities = new Map<string, Entity>()
  for (const [index, [key, { first }]] of [...speakers].entries()) {
    const each = resolved[index]
    if (each) entities.set(key, 'id' in each ? each : draftEntity(each, first, ids.next(), situation))
  }
  if (known.mayBeErased) await removeErased(tx, seal, entities)
  const mentions = new Map<Entity, number>()
  const linked = messages.map((message) => {
    const entity = entities.get(readSpeakerKey(message))
    if (!entity) return message
    const place = mentions.get(entity) ?? 0
    mentions.set(entity, place + 1)
    return linkMessage(message, entity, { now, isGround: place < maxMentions })
  })
  return [...linked, ...[...entities.values()].flatMap(({ draft }) => draft ?? [])]
}

function listSpeakers(messages: readonly Draft[]): Map<string, Speaker> {
  const speakers = new Map<string, Speaker>()
  for (const first of messages) {
    const name = readSpeaker(first)
    const key = normaliseName(name)
    // Only an episode keeps a secret.
    if (key !== '' && !speakers.has(key) && maskText(name) === name) speakers.set(key, { name, first })
  }
  return speakers
}

function readSpeakerKey(message: Draft): string {
  return normaliseName(readSpeaker(message))
}

function readSpeaker({ row: { payload } }: Draft): string {
  return (payload.kind === 'episodic' && payload.conversation?.name) || ''
}

/** The first message of the speaker is the source of the entity. */
function draftEntity(
  { mention, place }: Exclude<ResolvedMention, { id: string }>,
  { row: { id: source, created_at: at } }: Draft,
  id: string,
  { caller, now, scope, sensitivity, policies, given: { source_type } }: Situation,
): Entity {
  const draft = draftRecord(
    {
      type: 'entity',
      payload: createEntityPayload(mention),
      sensitivity,
      ...presentScope(scope),
      ...(source_type === undefined ? {} : { source_type }),
      provenance: {
        sources: [{ kind: 'event', ref: source, timestamp: at.toISOString() }],
        created_by: caller.name,
      },
    },
    { caller, now, id, policies, defaultSensitivity: sensitivity },
  )
  return { id, draft: { ...draft, handles: draft.handles.map((each) => ({ ...each, place })) } }
}

async function removeErased(tx: Transaction, seal: Seal, entities: Map<string, Entity>): Promise<void> {
  const made = [...entities].flatMap(([key, { draft }]) => (draft ? [{ key, row: draft.row }] : []))
  const erased = await findErasedContents(
    tx,
    seal,
    made.map(({ row }) => row),
  )
  for (const [index, { key }] of made.entries()) if (erased[index]) entities.delete(key)
}

/** The entity is kept as long as one of its grounds is there. */
function linkMessage(
  message: Draft,
  { id: entity, draft }: Entity,
  { now, isGround }: { now: Date; isGround: boolean },
): Draft {
  const { row, edges, descents } = message
  const { interpretation } = row
  const ground: Descent = draft
    ? { derived_id: entity, source_id: row.id, kind: 'capture', is_ground: true }
    : { derived_id: entity, source_id: row.id, kind: 'mention', is_ground: null }
  return {
    ...message,
    row: {
      ...row,
      interpretation: interpretation && {
        ...interpretation,
        status: 'resolved',
        mentions: interpretation.mentions.map((each) => ({ ...each, canonical_entity_id: entity })),
      },
    },
    edges: [...edges, createEdge(row.id, 'mentions_entity', entity, now)],
    descents: isGround ? [...descents, ground] : descents,
  }
}
