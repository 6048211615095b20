import type { Transaction } from '../db/transaction.ts'
import { addInverses } from '../domain/edges/edges.ts'
import { createThreadHandle } from '../domain/identity/handles.ts'
import type { Seal } from '../domain/identity/tombstone-seal.ts'
import { reinforce } from '../domain/lifecycle/reinforcement.ts'
import type { WorkingPayload } from '../domain/payloads/payloads.ts'
import { addSources } from '../domain/payloads/sources.ts'
import { defaultSalience } from '../domain/record-defaults.ts'
import { maxTags } from '../domain/schemas/request-fields.ts'
import { getRank, type Sensitivity, sensitivities } from '../domain/trust/caller.ts'
import { AppError } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import {
  createErasedContentError,
  type Draft,
  describePayload,
  findReadableRecord,
  insertHandles,
  insertRecords,
  loadManyForUpdate,
  lookUpHandles,
  presentWritten,
  requireNotErasedContent,
  type StoredRecord,
  storeDescents,
  writeChange,
} from '../records/index.ts'
import { upsertEdges } from '../relations/index.ts'
import type { Captured } from './capture.schemas.ts'
import { formatCapture } from './capture-answer.ts'
import type { CaptureContext } from './capture-context.ts'
import {
  buildPrimaryRecord,
  type CaptureWriteContext,
  draftCapturedRecord,
  maskTags,
} from './capture-drafts.ts'
import { buildMentionDescents, buildPrimaryEdges, filterNewEdges } from './capture-edges.ts'
import { type ResolvedEntities, resolveEntities } from './entity-resolution.service.ts'
import { buildReferenceHandles } from './handle-lookup.ts'
import type { TaskPlan } from './planning/capture-plan.ts'
import { chooseTask, continuesTask, mergeTaskReport } from './task-update.ts'

type Resources = { ids: Ids; seal: Seal; textLanguage: string }

/**
 * The locked record that a report updates, the id of a less sensitive record that a new one is linked to, and the
 * place of a new record among those of the thread.
 */
type Thread = { stored: StoredRecord | undefined; relatedTaskId: string | undefined; place: number }
type StoredTask = StoredRecord & { payload: WorkingPayload }

export const noThread: Thread = { stored: undefined, relatedTaskId: undefined, place: 0 }

/**
 * Finds the task of a thread and locks it until the transaction ends. Fails with `above_ceiling` if the only record
 * is one that the caller may see only redacted. A record that is hidden from the caller is ignored, so that its
 * existence is not revealed.
 */
export async function findThread(
  tx: Transaction,
  context: CaptureContext,
  threadId: string,
): Promise<Thread> {
  const { caller } = context
  const handle = { ...createThreadHandle(threadId), scope: context.scope, lock: 'always' as const }
  const findings = await lookUpHandles(tx, [handle], findNextAbove(caller.trust.maxSensitivity))
  const [found = { known: [], nextPlace: 0 }] = findings.matches
  const chosen = chooseTask(found.known, context, caller.trust)
  const [stored] = chosen ? await loadManyForUpdate(tx, { caller }, [chosen.id]) : []
  if (stored instanceof AppError && stored.code === 'above_ceiling') throw stored
  const isActive = stored !== undefined && !(stored instanceof AppError) && stored.status === 'active'
  if (!isActive) return { ...noThread, place: found.nextPlace }
  return continuesTask(stored, context)
    ? { stored, relatedTaskId: undefined, place: found.nextPlace }
    : { stored: undefined, relatedTaskId: stored.id, place: found.nextPlace }
}

function findNextAbove(sensitivity: Sensitivity): Sensitivity {
  return sensitivities[getRank(sensitivity) + 1] ?? sensitivity
}

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
