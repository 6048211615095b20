import type { Transaction } from '../../db/transaction.ts'
import { addInverses } from '../../domain/edges/edges.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { reinforce } from '../../domain/lifecycle/reinforcement.ts'
import type { WorkingPayload } from '../../domain/payloads/payloads.ts'
import { addSources } from '../../domain/payloads/sources.ts'
import { defaultSalience } from '../../domain/record-defaults.ts'
import { maxTags } from '../../domain/schemas/request-fields.ts'
import type { Ids } from '../../kernel/ids.ts'
import {
  createErasedContentError,
  type Draft,
  describePayload,
  findReadableRecord,
  insertHandles,
  insertRecords,
  presentWritten,
  requireNotErasedContent,
  type StoredRecord,
  storeDescents,
  writeChange,
} from '../../records/index.ts'
import { upsertEdges } from '../../relations/index.ts'
import type { Captured } from '../capture.schemas.ts'
import { formatCapture } from '../capture-answer.ts'
import {
  buildPrimaryRecord,
  type CaptureWriteContext,
  draftCapturedRecord,
  maskTags,
} from '../capture-drafts.ts'
import { buildMentionDescents, buildPrimaryEdges, filterNewEdges } from '../capture-edges.ts'
import { type ResolvedEntities, resolveEntities } from '../entity-resolution.service.ts'
import { buildReferenceHandles } from '../handle-lookup.ts'
import type { TaskPlan } from '../planning/capture-plan.ts'
import type { Thread } from './task-thread.service.ts'
import { mergeTaskReport } from './task-update.ts'

type Resources = { ids: Ids; seal: Seal; textLanguage: string }

type StoredTask = StoredRecord & { payload: WorkingPayload }

/**
 * Returns the writer of tasks. Each thread has one working record, which a later report updates. A report that is
 * more sensitive than the record gets its own record beside it, so that readers of the first one see no change.
 */
export function createTaskWriter({ ids, seal, textLanguage }: Resources) {
  async function store(
    tx: Transaction,
    context: CaptureWriteContext,
    plan: TaskPlan,
    thread: Thread,
  ): Promise<Captured> {
    const { stored } = thread
    const id = stored?.id ?? ids.next()
    const entities = await resolveEntities(tx, { ids, seal }, context, {
      source: { ...plan.source, ref: id },
    })
    if (stored?.payload.kind === 'working') {
      return resume(tx, context, { plan, entities, stored: { ...stored, payload: stored.payload } })
    }
    const drafts = [draftTask(id, context, { plan, thread, entities }), ...entities.newEntities]
    const inserted = await insertRecords(tx, drafts, { textLanguage, seal })
    if (!inserted.ids.has(id)) throw createErasedContentError()
    return formatCapture(context, drafts, undefined)
  }

  async function resume(
    tx: Transaction,
    context: CaptureWriteContext,
    { plan, entities, stored }: { plan: TaskPlan; entities: ResolvedEntities; stored: StoredTask },
  ): Promise<Captured> {
    const { caller, now, input, known } = context
    const payload = mergeTaskReport(stored.payload, plan.payload, input.content)
    if (known.handles.mayBeErased) await requireNotErasedContent(tx, seal, { scope: stored.scope, payload })
    const descents = buildMentionDescents(stored.id, entities)
    if (entities.newEntities.length === 0) await storeDescents(tx, descents)
    else await insertRecords(tx, entities.newEntities, { textLanguage, seal, descents })
    const edges = filterNewEdges(buildPrimaryEdges(stored.id, entities, now), stored)
    if (edges.length > 0) await upsertEdges(tx, addInverses(edges))
    await writeChange(tx, stored, {
      action: 'revise',
      actor: caller.name,
      rationale: 'captured',
      now,
      textLanguage,
      record: reinforceTask(stored, now),
      content: {
        payload,
        interpretation: entities.interpretation,
        tags: [...new Set([...stored.tags, ...(maskTags(input).tags ?? [])])].slice(0, maxTags),
        provenance: {
          ...stored.provenance,
          sources: addSources(stored.provenance.sources, [plan.source]),
        },
      },
      changes: describePayload(stored.payload, payload),
    })
    await insertHandles(
      tx,
      stored.id,
      stored.scope,
      buildReferenceHandles(context, plan.ref, known.handles.reference),
    )
    const changed = presentWritten(caller, await findReadableRecord(tx, caller, stored.id), now)
    return formatCapture(context, entities.newEntities, { records: [], edges }, changed)
  }

  return { store }
}

function draftTask(
  id: string,
  context: CaptureWriteContext,
  { plan, thread, entities }: { plan: TaskPlan; thread: Thread; entities: ResolvedEntities },
): Draft {
  const draft = draftCapturedRecord(
    context,
    buildPrimaryRecord(context, plan.payload, plan.source, entities.interpretation),
    id,
  )
  const threadHandles = draft.handles.map((handle) => ({ ...handle, place: thread.place }))
  const referenceHandles = buildReferenceHandles(context, plan.ref, context.known.handles.reference)
  return {
    ...draft,
    edges: buildPrimaryEdges(
      id,
      thread.relatedTaskId === undefined ? entities : addReference(entities, thread.relatedTaskId),
      context.now,
    ),
    descents: buildMentionDescents(id, entities),
    handles: [...threadHandles, ...referenceHandles],
  }
}

function addReference(entities: ResolvedEntities, id: string): ResolvedEntities {
  return { ...entities, references: [...entities.references, id] }
}

/** A reported task gets the salience of a new one. */
function reinforceTask(stored: StoredRecord, now: Date) {
  return reinforce({ ...stored, reinforcement_gain: defaultSalience }, now)
}
