import type { Transaction } from '../db/transaction.ts'
import { listHandles } from '../domain/identity/handles.ts'
import type { Seal } from '../domain/identity/tombstone-seal.ts'
import { computePosition } from '../domain/payloads/message-place.ts'
import type { Ids } from '../kernel/ids.ts'
import { createErasedContentError, type Draft, insertRecords } from '../records/index.ts'
import type { RevisionService } from '../revision/index.ts'
import type { Captured } from './capture.schemas.ts'
import { formatCapture } from './capture-answer.ts'
import { buildPrimaryRecord, type CaptureWriteContext, draftCapturedRecord } from './capture-drafts.ts'
import { buildMentionDescents, buildPrimaryEdges } from './capture-edges.ts'
import { type ResolvedEntities, resolveEntities } from './entity-resolution.service.ts'
import { createFactPlanner, type FactPlan } from './facts/fact-plan.service.ts'
import { buildReferenceHandles } from './handle-lookup.ts'
import type { EpisodePlan } from './planning/capture-plan.ts'

type Resources = { ids: Ids; seal: Seal; textLanguage: string; revision: RevisionService }

/** The records of an episode, before they are stored. */
export type DraftedEpisode = {
  id: string
  context: CaptureWriteContext
  drafts: Draft[]
  fact: FactPlan | undefined
}

export type EpisodeWriter = ReturnType<typeof createEpisodeWriter>

/** Returns the writer of episodes, with the entities they name and the fact they state. */
export function createEpisodeWriter({ ids, seal, textLanguage, revision }: Resources) {
  const facts = createFactPlanner({ textLanguage, revision })

  async function draft(
    tx: Transaction,
    context: CaptureWriteContext,
    plan: EpisodePlan,
  ): Promise<DraftedEpisode> {
    const id = ids.next()
    const evidence = { fact: plan.fact, source: { ...plan.source, ref: id } }
    const entities = await resolveEntities(tx, { ids, seal }, context, evidence)
    const fact = planFact(id, context, plan, entities)
    const drafts = [
      draftPrimary(id, context, plan, entities),
      ...(fact?.drafts ?? []),
      ...entities.newEntities,
    ]
    return { id, context, drafts, fact }
  }

  async function store(tx: Transaction, context: CaptureWriteContext, plan: EpisodePlan): Promise<Captured> {
    const episode = await draft(tx, context, plan)
    await insertAll(tx, [episode])
    return finish(tx, episode)
  }

  /** Stores the new records of several episodes with one statement, or none. */
  async function insertAll(tx: Transaction, episodes: readonly DraftedEpisode[]): Promise<void> {
    const drafts = episodes.flatMap((each) => each.drafts)
    const descents = episodes.flatMap(({ fact }) => fact?.descents ?? [])
    const stored = await insertRecords(tx, drafts, { textLanguage, seal, descents })
    if (episodes.some(({ id }) => !stored.ids.has(id))) throw createErasedContentError()
  }

  /** Changes the known facts that the episode confirms or contradicts. */
  async function finish(tx: Transaction, { context, drafts, fact }: DraftedEpisode): Promise<Captured> {
    return formatCapture(context, drafts, await fact?.apply(tx))
  }

  function planFact(
    primary: string,
    context: CaptureWriteContext,
    plan: EpisodePlan,
    entities: ResolvedEntities,
  ): FactPlan | undefined {
    const { factOutcome, existingFact } = context.known
    if (!plan.fact || !factOutcome || factOutcome.outcome === 'merged') return undefined
    if (entities.isFactErased) return erasedFact
    const evidence = { source_type: plan.evidenceType, source_id: primary, timestamp: plan.source.timestamp }
    return facts.plan({
      context,
      factOutcome,
      existingFact,
      id: ids.next(),
      source: { ...plan.source, ref: primary },
      payload: { ...plan.fact, evidence: [evidence] },
      targets: { primary, subject: entities.subject, object: entities.object },
    })
  }

  return { draft, finish, insertAll, store }
}

const erasedFact: FactPlan = {
  apply: async () => ({ fact: { outcome: 'erased' }, records: [], edges: [] }),
}

function draftPrimary(
  id: string,
  context: CaptureWriteContext,
  plan: EpisodePlan,
  entities: ResolvedEntities,
): Draft {
  const payload = joinConversation(context, plan, id)
  const record = buildPrimaryRecord(context, payload, plan.source, entities.interpretation)
  const draft = draftCapturedRecord(context, record, id)
  const reference = buildReferenceHandles(context, plan.ref, context.known.handles.reference)
  const handles = [...reference, ...listHandles(payload)]
  return {
    ...draft,
    edges: buildPrimaryEdges(id, entities, context.now),
    descents: buildMentionDescents(id, entities),
    handles,
  }
}

/** Returns the payload with its place in the conversation that the capture names. */
function joinConversation(
  { input }: CaptureWriteContext,
  { payload, ref, source }: EpisodePlan,
  id: string,
): EpisodePlan['payload'] {
  const { conversation } = input
  if (!conversation) return payload
  const { position = 0 } = conversation
  const at = position === 0 ? source.timestamp : addMicroseconds(source.timestamp, position)
  const place = {
    id: conversation.id,
    message_id: ref ?? id,
    position: computePosition(at),
    at,
    role: 'event',
    name: input.source,
  }
  return { ...payload, conversation: place }
}

/** As text, because a Date has no microseconds. */
function addMicroseconds(timestamp: string, microseconds: number): string {
  return timestamp.replace('Z', `${String(microseconds).padStart(3, '0')}Z`)
}
