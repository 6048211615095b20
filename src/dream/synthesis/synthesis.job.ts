import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import { fullTrust, rankOf, type Sensitivity } from '../../domain/caller.ts'
import { addInverses } from '../../domain/edges.ts'
import type { BatchResult } from '../../jobs/runs.ts'
import { findRecords, lockTombstonesShared, writeChange } from '../../records/index.ts'
import { upsertEdges } from '../../relations/index.ts'
import { type Entity, findEntity, findFigure, findKnown, lockTold } from '../entity-facts.queries.ts'
import type { Bear } from '../insert-fact.service.ts'
import type { Asked, Asking } from '../model-question.ts'
import { createRefusals } from '../refusal-count.ts'
import { settle } from '../run-in-batch.service.ts'
import type { DreamContext, Step } from '../steps.ts'
import { digestOf } from '../verdict-digest.ts'
import { rememberVerdict } from '../verdicts.queries.ts'
import type { Pair } from './entity-pairs.ts'
import { findPairs } from './pair-search.service.ts'
import { findRemembered, findServing, findStrangers, listScopes } from './synthesis.queries.ts'
import { type Bridge, mostKnown, type Question, questionOf, type Side } from './synthesis-prompt.ts'

type Resources = { db: Database; bear: Bear; textLanguage: string }

type Due = { one: Entity; other: Entity; question: Question; digest: Buffer }

/** Of a run. */
const mostAsked = 5
const mostScopes = 20
const page = 200

const step = 'synthesis'
const actor = 'dream/synthesis'

/** What two entities from different contexts have to do with each other, where a model bears it out. */
export function createSynthesis({ db, bear, textLanguage }: Resources): Step {
  async function run(context: DreamContext): Promise<void> {
    const { model } = context
    if (!model) return
    const judgeReply = createRefusals()
    let left = mostAsked - (await findFigure(db, context.run.id, 'pairs_asked'))
    if (left <= 0) return
    for await (const due of listDue(context, model)) {
      const reply = await ask(context, model, due)
      if (judgeReply(reply) === 'stop' || --left === 0) return
    }
  }

  async function ask(context: DreamContext, model: Asking, due: Due): Promise<Asked<Bridge>> {
    const reply = await model.ask(due.question)
    const isAnswered = 'answer' in reply || reply.refused === 'invalid'
    const about = { part: step, recordId: due.one.id }
    if (isAnswered) await settle(context, about, (tx) => conclude(tx, context, model, { due, reply }))
    return reply
  }

  /** One by one: what becomes of a pair may be told to the next. */
  async function* listDue(context: DreamContext, model: Asking): AsyncGenerator<Due> {
    for await (const pairs of listPairs(context, model)) {
      for (const pair of await findFresh(model, pairs)) {
        const due = await prepare(db, model, pair)
        if (due) yield due
      }
    }
  }

  async function* listPairs(context: DreamContext, model: Asking): AsyncGenerator<readonly Pair[]> {
    const [serving, ceiling] = [await findServing(db), model.maxSensitivity]
    if (!serving) return
    for (const scope of await listScopes(db, { scope: context.run.scope, ceiling, limit: mostScopes })) {
      const pairs = await findPairs(db, context, { scope, ceiling, model: serving })
      for (let from = 0; from < pairs.length; from += page) {
        await context.throwIfEnded()
        yield pairs.slice(from, from + page)
      }
    }
  }

  async function findFresh(model: Asking, pairs: readonly Pair[]): Promise<Pair[]> {
    const named = pairs.map((pair) => ({ ...pair, digest: nameOf(pair, model) }))
    const digests = named.map(({ digest }) => digest)
    const remembered = await findRemembered(db, digests)
    const fresh = named.filter(({ digest }) => !remembered.has(digest.toString('hex')))
    return fresh.length === 0 ? [] : findStrangers(db, fresh)
  }

  async function prepare(
    conn: Database,
    model: Asking,
    { among, ...pair }: Pick<Pair, 'one' | 'other'> & { among?: readonly string[] },
  ) {
    const one = await readSide(conn, model, { id: pair.one, among })
    const other = await readSide(conn, model, { id: pair.other, among })
    if (!one || !other || one.entity.scope !== other.entity.scope) return undefined
    const question = questionOf([one, other])
    return question && { one: one.entity, other: other.entity, question, digest: nameOf(pair, model) }
  }

  async function readSide(
    conn: Database,
    { maxSensitivity }: Asking,
    { id, among }: { id: string; among: readonly string[] | undefined },
  ): Promise<Side | undefined> {
    const entity = await findEntity(conn, { id, ceiling: maxSensitivity })
    return entity && { entity, known: await findKnown(conn, id, { limit: mostKnown, among }) }
  }

  /** Whatever came of it, the pair is not asked about again: somebody who undoes it does so for good. */
  async function conclude(
    tx: Transaction,
    context: DreamContext,
    model: Asking,
    { due, reply }: { due: Due; reply: Asked<Bridge> },
  ): Promise<BatchResult> {
    const asked = { pairs_asked: 1 }
    const { startedAt: now } = context.run
    if ('answer' in reply && reply.answer.connected) {
      const told = await keep(tx, context, model, { due, bridge: reply.answer })
      if (told === 'outdated') return { counts: { ...asked, pairs_outdated: 1 } }
      if (told) {
        await rememberVerdict(tx, { step, digest: due.digest, now })
        return { counts: { ...asked, pairs_connected: 1 }, changes: told }
      }
    }
    await rememberVerdict(tx, { step, digest: due.digest, now })
    return { counts: { ...asked, pairs_rejected: 1 } }
  }

  /** If all of it still is as the model was told. Nothing where the same was erased before. */
  async function keep(
    tx: Transaction,
    { run }: DreamContext,
    model: Asking,
    { due, bridge }: { due: Due; bridge: Extract<Bridge, { connected: true }> },
  ) {
    const { one, other, question } = due
    await lockTombstonesShared(tx)
    const among = question.told.map(({ id }) => id)
    await lockTold(tx, [one.id, other.id, ...among])
    const pair = { one: one.id, other: other.id }
    const current = await prepare(tx, model, { ...pair, among })
    const isSame = current && JSON.stringify(current.question.document) === JSON.stringify(question.document)
    if (!isSame || (await findStrangers(tx, [pair])).length === 0) return 'outdated' as const
    const at = { now: run.startedAt, runId: run.id, actor }
    const born = await bear(tx, { ...at, ...factOf(due, bridge) })
    if (born === undefined) return undefined
    const [from, to] = rankOf(other.sensitivity) > rankOf(one.sensitivity) ? [other, one] : [one, other]
    await relate(tx, { one: from.id, other: to.id }, at)
    return [
      { record_id: born, action: 'create', after: { type: 'semantic', connects: [one.id, other.id] } },
      { record_id: from.id, action: 'relate', after: { predicate: 'related_to', target_id: to.id } },
    ]
  }

  /** Recorded at the more sensitive of the two, whose readers see the other as well. */
  async function relate(
    tx: Transaction,
    { one, other }: Pick<Pair, 'one' | 'other'>,
    at: { now: Date; runId: string; actor: string },
  ): Promise<void> {
    const edge = { source_id: one, predicate: 'related_to', target_id: other, weight: 1, created_at: at.now }
    await upsertEdges(tx, addInverses([edge]))
    const [stored] = await findRecords(tx, [one], fullTrust, 1)
    if (!stored) throw new Error('an entity that was locked is there')
    await writeChange(tx, stored, {
      ...{ ...at, action: 'revise', rationale: 'related', textLanguage },
      changes: { [`relations.related_to.${other}`]: [null, 1] },
    })
  }

  return {
    name: step,
    figures: ['pairs_asked', 'pairs_connected', 'pairs_rejected', 'pairs_outdated'],
    count: async () => 0,
    run,
  }
}

/** By whom it is about and not by what is known of them: a pair that was rejected stays so when one learns more. */
function nameOf({ one, other }: Pick<Pair, 'one' | 'other'>, { model }: Asking): Buffer {
  return digestOf({ step, model, inputs: [one, other] })
}

/** As sensitive as the more sensitive of the two. */
function factOf({ one, other, question }: Due, { synthesis, insight }: Extract<Bridge, { connected: true }>) {
  const sensitivity: Sensitivity =
    rankOf(one.sensitivity) > rankOf(other.sensitivity) ? one.sensitivity : other.sensitivity
  return {
    ...{ scope: one.scope, sensitivity, rationale: 'synthesis', tags: ['synthesis'] },
    fact: {
      ...{ subject: one.payload.canonical_name, predicate: 'related_to' },
      object: { entity: other.payload.canonical_name, synthesis, insight },
    },
    sources: [one.id, other.id, ...question.told.map(({ id }) => id)],
    links: [
      { predicate: 'subject_entity', target: one.id },
      { predicate: 'object_entity', target: other.id },
    ],
  }
}
