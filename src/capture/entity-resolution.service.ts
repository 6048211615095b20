import type { Transaction } from '../db/transaction.ts'
import type { Seal } from '../domain/identity/tombstone-seal.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import type { SemanticPayload } from '../domain/payloads/payloads.ts'
import { normaliseName } from '../domain/words/names.ts'
import { type ResolvedMention, resolveMentions, resolveObject } from '../entities/index.ts'
import type { Ids } from '../kernel/ids.ts'
import { type Draft, findErasedContents, type Provenance } from '../records/index.ts'
import { buildEntityRecord, type CaptureWriteContext, draftCapturedRecord } from './capture-drafts.ts'
import { applyResolution } from './interpretation/interpretation-targets.ts'
import { resolveReferences } from './known-records.service.ts'

/** The entities that a capture names: existing ones and new ones. */
export type ResolvedEntities = {
  interpretation: Interpretation
  /** The ids of the entities that mentions were resolved to. May contain duplicates. */
  entities: string[]
  references: string[]
  /** Drafts of the entities that no record names yet. */
  newEntities: Draft[]
  subject: string | undefined
  object: string | undefined
  isFactErased: boolean
}

type Resources = { ids: Ids; seal: Seal }
type ResolutionInput = {
  fact?: SemanticPayload | undefined
  /** The evidence, as the source of the new entities. */
  source: Provenance['sources'][number]
}

/**
 * Resolves every mention to an entity. A name that was erased from the scope does not get a new entity; its mention
 * stays unresolved.
 */
export async function resolveEntities(
  tx: Transaction,
  { ids, seal }: Resources,
  context: CaptureWriteContext,
  { fact, source }: ResolutionInput,
): Promise<ResolvedEntities> {
  const {
    interpretation,
    known: { handles },
  } = context
  const resolved = resolveMentions(interpretation.mentions, handles.mentions, context.scope)
  const drafts = resolved.map((each) =>
    'id' in each ? undefined : draftEntity(context, each, ids.next(), source),
  )
  const drafted = drafts.filter((each) => each !== undefined)
  const contents = [
    ...drafted.map(({ row }) => row),
    ...(fact ? [{ scope: context.scope, payload: fact }] : []),
  ]
  const mayBeErased = contents.length > 0 && handles.mayBeErased
  const erased = mayBeErased ? await findErasedContents(tx, seal, contents) : []
  const newEntities = drafted.filter((_, index) => !erased[index])
  const keptDrafts = new Set(newEntities)
  const mentions = resolved.map((each, index) => {
    if ('id' in each) return each.id
    const draft = drafts[index]
    return draft && keptDrafts.has(draft) ? draft.row.id : undefined
  })
  const references = await resolveReferences(tx, context, interpretation)
  const findEntityId = (name: unknown) => mentions[findMentionIndex(interpretation.mentions, name)]
  return {
    interpretation: applyResolution(interpretation, { mentions, references }),
    entities: mentions.filter((id) => id !== undefined),
    references: references.filter((id) => id !== undefined),
    newEntities,
    subject: findEntityId(fact?.subject),
    object: findEntityId(fact?.object) ?? resolveObject(fact, handles.object, context.scope),
    isFactErased: fact !== undefined && erased.at(-1) === true,
  }
}

/** One name may occur under several keys with different spelling. Returns -1 if no mention has the name. */
function findMentionIndex(mentions: Interpretation['mentions'], name: unknown): number {
  if (typeof name !== 'string') return -1
  const normalised = normaliseName(name)
  return mentions.findIndex(({ surface }) => normaliseName(surface) === normalised)
}

type UnknownMention = Exclude<ResolvedMention, { id: string }>

/** The first handle of the draft is the entity's own name, which gets the free place. */
function draftEntity(
  context: CaptureWriteContext,
  { mention, place }: UnknownMention,
  id: string,
  source: ResolutionInput['source'],
): Draft {
  const draft = draftCapturedRecord(context, buildEntityRecord(context, mention, source), id)
  const [name, ...aliases] = draft.handles
  const descents = [{ derived_id: id, source_id: source.ref, kind: 'capture' as const, is_ground: true }]
  return { ...draft, descents, handles: name ? [{ ...name, place }, ...aliases] : [] }
}
