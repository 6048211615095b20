import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import { createFactHandle } from '../../domain/identity/handles.ts'
import { fullTrust } from '../../domain/trust/caller.ts'
import { findRunFigures } from '../../jobs/run-figures.queries.ts'
import type { BatchResult, Run } from '../../jobs/runs.ts'
import { nilUuid } from '../../kernel/ids.ts'
import { findRecords, lockRecords, lockTombstonesShared, type StoredRecord } from '../../records/index.ts'
import { retireRecord } from '../../revision/index.ts'
import { type Entity, findEntity, findEntityFacts } from '../entity-facts.queries.ts'
import type { InsertFact } from '../insert-fact.service.ts'
import type { ModelReply, ModelSession } from '../model-question.ts'
import { askDueQuestions } from '../question-loop.service.ts'
import type { DreamContext, Step } from '../steps.ts'
import { createQuestionDigest } from '../verdict-digest.ts'
import { hasVerdict, upsertVerdict } from '../verdicts.queries.ts'
import { buildQuestion, maxFacts, type ProfileQuestion } from './profile-prompt.ts'
import {
  findLastProfiledEntity,
  findProfiles,
  findWrittenProfile,
  listWellKnownEntities,
  type Profile,
  upsertProfileRow,
  type WrittenProfile,
} from './profiles.queries.ts'
import { retireStaleProfiles } from './stale-profiles.service.ts'

type Resources = {
  insertFact: InsertFact
  textLanguage: string
}

/** The question about an entity, and its current profile. */
type DueProfile = {
  entity: Entity
  question: ProfileQuestion
  digest: Buffer
  current: Profile | undefined
}

const pageSize = 100
/** Per run. Questions are asked one after the other, and the next steps wait. */
const maxQuestions = 200
/** The largest id. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
/** Columns, counters and the API call a profile a peer card. */
const step = 'peer_cards'
const actor = 'dream/peer_cards'

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
      due: listDue(context, model),
      getRecordId: ({ entity }) => entity.id,
      storeReply: (tx, due, reply) => storeReply(tx, context, due, { model, reply }),
    })
  }

  /**
   * Starts where the last run ended, so that every entity has its turn even if there is more to ask than one run
   * allows.
   */
  async function* listDue(context: DreamContext, model: ModelSession): AsyncGenerator<DueProfile> {
    const turn = (await findLastProfiledEntity(context.db)) ?? nilUuid
    for (const [after, until] of [
      [turn, lastId],
      [nilUuid, turn],
    ] as const) {
      for await (const id of listIds(context, model, { after, until })) {
        const due = await prepare(context.db, model, { id })
        if (due && !(await hasVerdict(context.db, { step, digest: due.digest }))) yield due
      }
    }
  }

  async function* listIds(
    context: DreamContext,
    { maxSensitivity: ceiling }: ModelSession,
    { after: first, until }: { after: string; until: string },
  ): AsyncGenerator<string> {
    let after: string | undefined = first
    while (after !== undefined) {
      await context.throwIfEnded()
      const span = { scope: context.run.scope, ceiling, after, until }
      const page: string[] = await listWellKnownEntities(context.db, { ...span, limit: pageSize })
      yield* page
      after = page.length < pageSize ? undefined : page.at(-1)
    }
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

  /**
   * Returns undefined if there is nothing to ask: too few facts, no new facts, or a profile that this step did not write.
   */
  async function prepare(
    db: Database,
    model: ModelSession,
    { id, onlyIds }: { id: string; onlyIds?: readonly string[] },
  ): Promise<DueProfile | undefined> {
    const entity = await findEntity(db, { id, ceiling: model.maxSensitivity })
    const facts = entity ? await findEntityFacts(db, id, { limit: maxFacts, onlyIds }) : []
    const question = entity && buildQuestion(entity, facts)
    if (!question) return undefined
    const { scope, sensitivity } = entity
    const shownIds = question.shownRecords.map((each) => each.id)
    const inputs = [id, scope, sensitivity, ...shownIds, JSON.stringify(question.document)]
    const digest = createQuestionDigest({ step, model: model.model, inputs })
    const written = await findWrittenProfile(db, id)
    if (written?.digest.equals(digest)) return undefined
    const topic = createFactHandle({ subject: id, predicate: 'profile' }).digest
    const profileId = written?.card_id ?? null
    const [current, ...others] = await findProfiles(db, { digest: topic, scope, profileId, author: actor })
    if (others.length > 0 || (current && !isOwn(current, written))) return undefined
    return { entity, question, digest, current }
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
    const due = await prepare(tx, model, { id, onlyIds })
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

/** An imported profile was written by a dream too, but `peer_cards` has no row for it here. */
function isOwn({ id, pinned, is_dreamt: isDreamt }: Profile, written: WrittenProfile | undefined): boolean {
  return !pinned && (written?.card_id ? written.card_id === id : isDreamt)
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
