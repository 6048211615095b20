import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/trust/caller.ts'
import { findRunFigures } from '../../jobs/runs/run-figures.queries.ts'
import type { BatchResult, Run } from '../../jobs/runs/runs.ts'
import { findRecords, lockRecords, lockTombstonesShared, type StoredRecord } from '../../records/index.ts'
import { retireRecord } from '../../revision/index.ts'
import type { InsertFact } from '../insert-fact.service.ts'
import type { ModelReply, ModelSession } from '../model-question.ts'
import { askDueQuestions } from '../question-loop.service.ts'
import type { DreamContext, Step } from '../steps.ts'
import { upsertVerdict } from '../verdicts.queries.ts'
import { actor, type DueProfile, listDueProfiles, prepareProfile, step } from './due-profiles.service.ts'
import { upsertProfileRow } from './profiles.queries.ts'
import { retireStaleProfiles } from './stale-profiles.service.ts'

type Resources = {
  insertFact: InsertFact
  textLanguage: string
}

/** Per run. Questions are asked one after the other, and the next steps wait. */
const maxQuestions = 200

/**
 * Returns the step that writes a profile of each entity with enough facts. A profile is written again only if the
 * facts have changed.
 */
export function createProfilesStep({ insertFact, textLanguage }: Resources): Step {
  async function run(context: DreamContext): Promise<void> {
    const { model } = context
    await retireStaleProfiles(context, { textLanguage, step, actor })
    if (!model) return
    const { cards_asked: askedCount = 0 } = await findRunFigures(context.db, context.run.id)
    await askDueQuestions<string, DueProfile>(context, model, {
      part: step,
      remaining: maxQuestions - askedCount,
      due: listDueProfiles(context, model),
      getRecordId: ({ entity }) => entity.id,
      storeReply: (tx, due, reply) => storeReply(tx, context, due, { model, reply }),
    })
  }

  async function storeReply(
    tx: Transaction,
    context: DreamContext,
    due: DueProfile,
    { model, reply }: { model: ModelSession; reply: ModelReply<string> },
  ): Promise<BatchResult> {
    const { counts, ...batch } =
      'answer' in reply
        ? await storeProfile(tx, context, due, { model, profile: reply.answer })
        : await rejectAnswer(tx, { digest: due.digest, now: context.run.startedAt })
    return { ...batch, counts: { ...counts, cards_asked: 1 } }
  }

  /** Stores the profile only if everything shown to the model is unchanged. Changes wait for the next run. */
  async function storeProfile(
    tx: Transaction,
    { run }: DreamContext,
    { entity: { id }, question, digest, current }: DueProfile,
    { model, profile }: { model: ModelSession; profile: string },
  ): Promise<BatchResult> {
    await lockTombstonesShared(tx)
    const onlyIds = question.shownRecords.map((each) => each.id)
    await lockRecords(tx, [id, ...onlyIds, ...(current ? [current.id] : [])])
    const due = await prepareProfile(tx, model, { id, onlyIds })
    if (!due?.digest.equals(digest) || due.current?.id !== current?.id)
      return { counts: { cards_outdated: 1 } }
    const [old] = current ? await findRecords(tx, [current.id], fullTrust) : []
    const row = { entity_id: id, digest, written_at: run.startedAt }
    if (old && isUnchanged(old, due, profile)) {
      await upsertProfileRow(tx, { ...row, card_id: old.id })
      return { counts: { cards_confirmed: 1 } }
    }
    const newId = await writeProfile(tx, run, { due, profile, old })
    if (newId === undefined) return rejectAnswer(tx, { digest, now: run.startedAt })
    await upsertProfileRow(tx, { ...row, card_id: newId })
    return old ? describeReplacedBatch(id, old.id, newId) : describeCreatedBatch(id, newId)
  }

  /** Returns undefined if the same content was erased earlier. */
  async function writeProfile(
    tx: Transaction,
    { id: runId, startedAt: now }: Run,
    { due, profile, old }: { due: DueProfile; profile: string; old: StoredRecord | undefined },
  ): Promise<string | undefined> {
    const origin = { now, runId, actor }
    const newId = await insertFact(tx, { ...origin, ...toFact(due, profile), supersedes: old?.id })
    if (!old || newId === undefined) return newId
    const audit = { ...origin, textLanguage, rationale: 'its sources have changed', step }
    const { scope, sensitivity } = due.entity
    await retireRecord(tx, old, {
      ...audit,
      to: 'superseded',
      supersededBy: { id: newId, scope, sensitivity },
    })
    return newId
  }

  return {
    name: step,
    figures: ['asked', 'created', 'replaced', 'dropped', 'confirmed', 'rejected', 'outdated'].map(
      (each) => `cards_${each}`,
    ),
    run,
  }
}

/** Remembers the question, so that it is not asked and paid for again. */
async function rejectAnswer(tx: Transaction, verdict: { digest: Buffer; now: Date }): Promise<BatchResult> {
  await upsertVerdict(tx, { step, ...verdict })
  return { counts: { cards_rejected: 1 } }
}

function isUnchanged(
  { payload, scope, sensitivity }: StoredRecord,
  { entity }: DueProfile,
  profile: string,
): boolean {
  const isSame = payload.kind === 'semantic' && payload.object === profile
  return isSame && scope === entity.scope && sensitivity === entity.sensitivity
}

/** The sensitivity of the entity, which is at least that of all the facts. */
function toFact({ entity: { id, scope, sensitivity }, question }: DueProfile, profile: string) {
  return {
    scope,
    sensitivity,
    rationale: 'profile',
    tags: ['peer-card'],
    fact: { subject: id, predicate: 'profile', object: profile },
    sources: [id, ...question.shownRecords.map((each) => each.id)],
    links: [{ predicate: 'subject_entity', target: id }],
  }
}

function describeCreatedBatch(entity: string, profileId: string): BatchResult {
  const change = { record_id: profileId, action: 'create', after: { type: 'semantic', subject: entity } }
  return { counts: { cards_created: 1 }, changes: [change] }
}

function describeReplacedBatch(entity: string, old: string, profileId: string): BatchResult {
  const retired = {
    record_id: old,
    action: 'supersede',
    after: { status: 'superseded', superseded_by: profileId },
  }
  const created = describeCreatedBatch(entity, profileId)
  return { counts: { cards_replaced: 1 }, changes: [...(created.changes ?? []), retired] }
}
