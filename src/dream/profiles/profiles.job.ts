import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import { fullTrust } from '../../domain/caller.ts'
import { factHandle } from '../../domain/handles.ts'
import type { BatchResult, Run } from '../../jobs/runs.ts'
import { startPosition } from '../../jobs/table-walk.ts'
import { findRecords, lockTombstonesShared, type StoredRecord } from '../../records/index.ts'
import { retireRecord } from '../../revision/index.ts'
import { type Entity, findEntity, findFigure, findKnown, lockTold } from '../entity-facts.queries.ts'
import type { Bear } from '../insert-fact.service.ts'
import type { Asked, Asking } from '../model-question.ts'
import { createRefusals } from '../refusal-count.ts'
import { settle } from '../run-in-batch.service.ts'
import type { DreamContext, Step } from '../steps.ts'
import { digestOf } from '../verdict-digest.ts'
import { hasVerdict, rememberVerdict } from '../verdicts.queries.ts'
import { mostKnown, type Question, questionOf } from './profile-prompt.ts'
import {
  findLastWritten,
  findProfiles,
  findWritten,
  listKnownWell,
  type Profile,
  upsertCard,
  type Written,
} from './profiles.queries.ts'
import { createDropping } from './stale-profiles.service.ts'

type Resources = {
  db: Database
  bear: Bear
  textLanguage: string
  size?: number
}

/** What there is to ask of an entity, and the card that stands. */
type Due = {
  entity: Entity
  question: Question
  digest: Buffer
  card?: Profile
}

const usualSize = 100
/** Of a run: they are asked one after the other, and the steps behind this one wait. */
const mostAsked = 200
/** Behind the last of all ids. */
const end = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const step = 'peer_cards'
const actor = 'dream/peer_cards'

/** One profile of each entity that enough is known of: written anew when that has changed, and else left alone. */
export function createCarding({ db, bear, textLanguage, size = usualSize }: Resources): Step {
  const { dropLeft } = createDropping({ db, textLanguage, step, actor })

  async function run(context: DreamContext): Promise<void> {
    const { model } = context
    await dropLeft(context)
    if (!model) return
    const judgeReply = createRefusals()
    let left = mostAsked - (await findFigure(db, context.run.id, 'cards_asked'))
    if (left <= 0) return
    for await (const due of listDue(context, model)) {
      const reply = await ask(context, model, due)
      if (judgeReply(reply) === 'stop' || --left === 0) return
    }
  }

  async function ask(context: DreamContext, model: Asking, due: Due): Promise<Asked<string>> {
    const reply = await model.ask(due.question)
    const isAnswered = 'answer' in reply || reply.refused === 'invalid'
    const about = { part: step, recordId: due.entity.id }
    if (isAnswered) await settle(context, about, (tx) => conclude(tx, context, due, { model, reply }))
    return reply
  }

  /** From where the run before it ended, so that those behind it have their turn however much there is to ask. */
  async function* listDue(context: DreamContext, model: Asking): AsyncGenerator<Due> {
    const turn = (await findLastWritten(db)) ?? startPosition.id
    for (const [after, until] of [
      [turn, end],
      [startPosition.id, turn],
    ] as const) {
      for await (const id of listIds(context, model, { after, until })) {
        const due = await prepare(db, model, { id })
        if (due && !(await hasVerdict(db, { step, digest: due.digest }))) yield due
      }
    }
  }

  async function* listIds(
    context: DreamContext,
    { maxSensitivity: ceiling }: Asking,
    { after: first, until }: { after: string; until: string },
  ): AsyncGenerator<string> {
    let after: string | undefined = first
    while (after !== undefined) {
      await context.throwIfEnded()
      const span = { scope: context.run.scope, ceiling, after, until }
      const page: string[] = await listKnownWell(db, { ...span, limit: size })
      yield* page
      after = page.length < size ? undefined : page.at(-1)
    }
  }

  async function conclude(
    tx: Transaction,
    context: DreamContext,
    due: Due,
    { model, reply }: { model: Asking; reply: Asked<string> },
  ): Promise<BatchResult> {
    const { counts, ...told } =
      'answer' in reply
        ? await keep(tx, context, due, { model, profile: reply.answer })
        : await reject(tx, { digest: due.digest, now: context.run.startedAt })
    return { ...told, counts: { ...counts, cards_asked: 1 } }
  }

  /** Undefined where there is nothing to ask: too little is known, nothing is new, or somebody else wrote of it. */
  async function prepare(
    conn: Database,
    model: Asking,
    { id, among }: { id: string; among?: readonly string[] },
  ): Promise<Due | undefined> {
    const entity = await findEntity(conn, { id, ceiling: model.maxSensitivity })
    const known = entity ? await findKnown(conn, id, { limit: mostKnown, among }) : []
    const question = entity && questionOf(entity, known)
    if (!question) return undefined
    const { scope, sensitivity } = entity
    const told = question.told.map((each) => each.id)
    const inputs = [id, scope, sensitivity, ...told, JSON.stringify(question.document)]
    const digest = digestOf({ step, model: model.model, inputs })
    const written = await findWritten(conn, id)
    if (written?.digest.equals(digest)) return undefined
    const topic = factHandle({ subject: id, predicate: 'profile' }).digest
    const cardId = written?.card_id ?? null
    const [card, ...others] = await findProfiles(conn, { digest: topic, scope, cardId, author: actor })
    if (others.length > 0 || (card && !isOwn(card, written))) return undefined
    return { entity, question, digest, ...(card ? { card } : {}) }
  }

  /** If all of it still is as the model was told. What came meanwhile is for the next run. */
  async function keep(
    tx: Transaction,
    { run }: DreamContext,
    { entity: { id }, question, digest, card }: Due,
    { model, profile }: { model: Asking; profile: string },
  ): Promise<BatchResult> {
    await lockTombstonesShared(tx)
    const among = question.told.map((each) => each.id)
    await lockTold(tx, [id, ...among, ...(card ? [card.id] : [])])
    const due = await prepare(tx, model, { id, among })
    if (!due?.digest.equals(digest) || due.card?.id !== card?.id) return { counts: { cards_outdated: 1 } }
    const [old] = card ? await findRecords(tx, [card.id], fullTrust) : []
    const row = { entity_id: id, digest, written_at: run.startedAt }
    if (old && isAsGood(old, due, profile)) {
      await upsertCard(tx, { ...row, card_id: old.id })
      return { counts: { cards_confirmed: 1 } }
    }
    const born = await write(tx, run, { due, profile, old })
    if (born === undefined) return reject(tx, { digest, now: run.startedAt })
    await upsertCard(tx, { ...row, card_id: born })
    return old ? replaced(id, old.id, born) : created(id, born)
  }

  /** Nothing where the same was erased before. */
  async function write(
    tx: Transaction,
    { id: runId, startedAt: now }: Run,
    { due, profile, old }: { due: Due; profile: string; old: StoredRecord | undefined },
  ): Promise<string | undefined> {
    const at = { now, runId, actor }
    const born = await bear(tx, { ...at, ...cardOf(due, profile), supersedes: old?.id })
    if (!old || born === undefined) return born
    const told = { ...at, textLanguage, rationale: 'what it was made of has changed', step }
    await retireRecord(tx, old, { ...told, to: 'superseded', supersededBy: born })
    return born
  }

  return {
    name: step,
    figures: ['asked', 'created', 'replaced', 'dropped', 'confirmed', 'rejected', 'outdated'].map(
      (each) => `cards_${each}`,
    ),
    count: async () => 0,
    run,
  }
}

/** The same is not asked, and paid for, again. */
async function reject(tx: Transaction, verdict: { digest: Buffer; now: Date }): Promise<BatchResult> {
  await rememberVerdict(tx, { step, ...verdict })
  return { counts: { cards_rejected: 1 } }
}

/** One that came with an import was written by a dream too, and nobody has noted it here. */
function isOwn({ id, pinned, is_dreamt: isDreamt }: Profile, written: Written | undefined): boolean {
  return !pinned && (written?.card_id ? written.card_id === id : isDreamt)
}

function isAsGood({ payload, scope, sensitivity }: StoredRecord, { entity }: Due, profile: string): boolean {
  const isSame = payload.kind === 'semantic' && payload.object === profile
  return isSame && scope === entity.scope && sensitivity === entity.sensitivity
}

/** As sensitive as the entity, and so as all that it was made of, or more. */
function cardOf({ entity: { id, scope, sensitivity }, question }: Due, profile: string) {
  return {
    ...{ scope, sensitivity, rationale: 'profile', tags: ['peer-card'] },
    fact: { subject: id, predicate: 'profile', object: profile },
    sources: [id, ...question.told.map((each) => each.id)],
    links: [{ predicate: 'subject_entity', target: id }],
  }
}

function created(entity: string, card: string): BatchResult {
  const change = { record_id: card, action: 'create', after: { type: 'semantic', subject: entity } }
  return { counts: { cards_created: 1 }, changes: [change] }
}

function replaced(entity: string, old: string, card: string): BatchResult {
  const retired = {
    record_id: old,
    action: 'supersede',
    after: { status: 'superseded', superseded_by: card },
  }
  const born = created(entity, card)
  return { counts: { cards_replaced: 1 }, changes: [...(born.changes ?? []), retired] }
}
