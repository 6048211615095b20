import type { Transaction } from '../db/transaction.ts'
import { type Caller, rankOf, type Sensitivity, sensitivities } from '../domain/caller.ts'
import { addInverses } from '../domain/edges.ts'
import { threadHandle } from '../domain/handles.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import type { WorkingPayload } from '../domain/payloads.ts'
import { defaultSalience } from '../domain/record-defaults.ts'
import { reinforce } from '../domain/reinforcement.ts'
import type { Seal } from '../domain/tombstone-seal.ts'
import { AppError } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import {
  appendKeepingFirst,
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
  writeChange,
} from '../records/index.ts'
import { upsertEdges } from '../relations/index.ts'
import type { Captured } from './capture.schemas.ts'
import { presentCapture } from './capture-answer.ts'
import type { Setting } from './capture-context.ts'
import { describePrimary, draftBirth, maskTags, type Origin } from './capture-drafts.ts'
import { linkPrimary, newEdges, recordMentions } from './capture-edges.ts'
import { nameCapture } from './capture-reference.ts'
import type { TaskPlan } from './classification.ts'
import { type Cast, castCapture } from './entity-resolution.service.ts'
import type { Survey } from './known-records.service.ts'
import { chooseTask, isContinued, resumeTask } from './task-update.ts'

type Resources = { ids: Ids; seal: Seal; textLanguage: string }
type Told = { plan: TaskPlan; interpretation: Interpretation; survey: Survey; thread: Thread }

/**
 * The record that a report continues, locked; the one of a lower sensitivity that a new record is linked to; and the
 * place of a new record among those of the thread.
 */
export type Thread = { stored: StoredRecord | undefined; beside: string | undefined; place: number }
type Working = StoredRecord & { payload: WorkingPayload }

export const noThread: Thread = { stored: undefined, beside: undefined, place: 0 }

/**
 * The thread stays locked until the transaction ends. A record that the caller sees only redacted is refused where
 * there is no other; one that is hidden from the caller betrays nothing, and gets a twin.
 */
export async function findThread(
  tx: Transaction,
  caller: Caller,
  setting: Setting,
  threadId: string,
): Promise<Thread> {
  const wanted = { ...threadHandle(threadId), scope: setting.scope, lock: 'always' as const }
  const findings = await lookUpHandles(tx, [wanted], nextAbove(caller.trust.maxSensitivity))
  const [sought = { known: [], nextPlace: 0 }] = findings.matches
  const chosen = chooseTask(sought.known, setting, caller.trust)
  const [stored] = chosen ? await loadManyForUpdate(tx, { caller }, [chosen.id]) : []
  if (stored instanceof AppError && stored.code === 'above_ceiling') throw stored
  const isThere = stored !== undefined && !(stored instanceof AppError) && stored.status === 'active'
  if (!isThere) return { ...noThread, place: sought.nextPlace }
  return isContinued(stored, setting)
    ? { stored, beside: undefined, place: sought.nextPlace }
    : { stored: undefined, beside: stored.id, place: sought.nextPlace }
}

function nextAbove(sensitivity: Sensitivity): Sensitivity {
  return sensitivities[rankOf(sensitivity) + 1] ?? sensitivity
}

/**
 * One working record for each thread: a later report says how the task stands now. A report that is more sensitive
 * than the record gets a record of its own beside it, so that the readers of the first one see no change.
 */
export function createTasks({ ids, seal, textLanguage }: Resources) {
  async function tell(tx: Transaction, origin: Origin, told: Told): Promise<Captured> {
    const { stored } = told.thread
    const id = stored?.id ?? ids.next()
    const scene = { interpretation: told.interpretation, witness: { ...told.plan.source, ref: id } }
    const cast = await castCapture(tx, { ids, seal }, origin, scene, told.survey)
    if (stored?.payload.kind === 'working') {
      return resume(tx, origin, told, cast, { ...stored, payload: stored.payload })
    }
    const drafts = [draftTask(id, origin, told, cast), ...cast.born]
    const { ids: isStored } = await insertRecords(tx, drafts, textLanguage, seal)
    if (!isStored.has(id)) throw createErasedContentError()
    return presentCapture(origin, drafts, undefined)
  }

  async function resume(
    tx: Transaction,
    origin: Origin,
    told: Told,
    cast: Cast,
    stored: Working,
  ): Promise<Captured> {
    const { caller, now, given } = origin
    const payload = resumeTask(stored.payload, told.plan.payload, given.content)
    await requireNotErasedContent(tx, seal, { scope: stored.scope, payload })
    await insertRecords(tx, cast.born, textLanguage, seal, recordMentions(stored.id, cast))
    const edges = newEdges(linkPrimary(stored.id, cast, now), stored)
    if (edges.length > 0) await upsertEdges(tx, addInverses(edges))
    await writeChange(tx, stored, {
      ...{ action: 'revise', actor: caller.name, rationale: 'captured', now, textLanguage },
      record: wake(stored, now),
      content: {
        payload,
        interpretation: cast.interpretation,
        tags: [...new Set([...stored.tags, ...(maskTags(given).tags ?? [])])].slice(0, 100),
        provenance: {
          ...stored.provenance,
          sources: appendKeepingFirst(stored.provenance.sources, [told.plan.source]),
        },
      },
      changes: describePayload(stored.payload, payload),
    })
    await insertHandles(
      tx,
      stored.id,
      stored.scope,
      nameCapture(origin, told.plan.ref, told.survey.known.reference),
    )
    const changed = presentWritten(caller, await findReadableRecord(tx, caller, stored.id), now)
    return presentCapture(origin, cast.born, { records: [], edges }, changed)
  }

  return { tell }
}

function draftTask(id: string, origin: Origin, { plan, survey, thread }: Told, cast: Cast): Draft {
  const draft = draftBirth(
    origin,
    describePrimary(origin, plan.payload, plan.source, cast.interpretation),
    id,
  )
  const own = draft.handles.map((handle) => ({ ...handle, place: thread.place }))
  const named = nameCapture(origin, plan.ref, survey.known.reference)
  return {
    ...draft,
    edges: linkPrimary(id, thread.beside === undefined ? cast : refer(cast, thread.beside), origin.now),
    descents: recordMentions(id, cast),
    handles: [...own, ...named],
  }
}

function refer(cast: Cast, id: string): Cast {
  return { ...cast, references: [...cast.references, id] }
}

/** A task that is reported on is as present as a new one. */
function wake(stored: StoredRecord, now: Date) {
  return reinforce({ ...stored, reinforcement_gain: defaultSalience }, now)
}
