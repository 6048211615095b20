import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import { addInverses, createEdge } from '../../domain/edges/edges.ts'
import { fullTrust, getRank, type Sensitivity } from '../../domain/trust/caller.ts'
import { findServingModel } from '../../embeddings/index.ts'
import { findRunFigures } from '../../jobs/run-figures.queries.ts'
import type { BatchResult } from '../../jobs/runs.ts'
import { findRecords, lockRecords, lockTombstonesShared, writeChange } from '../../records/index.ts'
import { upsertEdges } from '../../relations/index.ts'
import { type Entity, findEntity, findEntityFacts } from '../entity-facts.queries.ts'
import type { InsertFact } from '../insert-fact.service.ts'
import type { ModelReply, ModelSession } from '../model-question.ts'
import { askDueQuestions } from '../question-loop.service.ts'
import type { DreamContext, Step } from '../steps.ts'
import { createQuestionDigest } from '../verdict-digest.ts'
import { upsertVerdict } from '../verdicts.queries.ts'
import type { Pair } from './entity-pairs.ts'
import { findPairs } from './pair-search.service.ts'
import { findRememberedDigests, findUnrelatedPairs, listScopes } from './synthesis.queries.ts'
import {
  buildQuestion,
  type Connection,
  type EntityWithFacts,
  maxFacts,
  type SynthesisQuestion,
} from './synthesis-prompt.ts'

type Resources = { insertFact: InsertFact; textLanguage: string }

type DuePair = { one: Entity; other: Entity; question: SynthesisQuestion; digest: Buffer }

/** Per run. */
const maxQuestions = 5
const maxScopes = 20
const pageSize = 200

const step = 'synthesis'
const actor = 'dream/synthesis'

/** Returns the step that asks a model what connects two entities from different contexts. */
export function createSynthesisStep({ insertFact, textLanguage }: Resources): Step {
  async function run(context: DreamContext): Promise<void> {
    const { model } = context
    if (!model) return
    const { pairs_asked: askedCount = 0 } = await findRunFigures(context.db, context.run.id)
    await askDueQuestions<Connection, DuePair>(context, model, {
      part: step,
      remaining: maxQuestions - askedCount,
      due: listDue(context, model),
      getRecordId: ({ one }) => one.id,
      storeReply: (tx, due, reply) => storeReply(tx, context, model, { due, reply }),
    })
  }

  /** Yields one pair after the other, because the result of a pair may be shown with the next. */
  async function* listDue(context: DreamContext, model: ModelSession): AsyncGenerator<DuePair> {
    for await (const pairs of listPairs(context, model)) {
      for (const pair of await findUnasked(context.db, model, pairs)) {
        const due = await prepare(context.db, model, pair)
        if (due) yield due
      }
    }
  }

  async function* listPairs(context: DreamContext, model: ModelSession): AsyncGenerator<readonly Pair[]> {
    const { db } = context
    const serving = await findServingModel(db)
    const ceiling = model.maxSensitivity
    if (!serving) return
    for (const scope of await listScopes(db, { scope: context.run.scope, ceiling, limit: maxScopes })) {
      const pairs = await findPairs(db, context, { scope, ceiling, model: serving })
      for (let from = 0; from < pairs.length; from += pageSize) {
        await context.throwIfEnded()
        yield pairs.slice(from, from + pageSize)
      }
    }
  }

  async function findUnasked(db: Database, model: ModelSession, pairs: readonly Pair[]): Promise<Pair[]> {
    const named = pairs.map((pair) => ({ ...pair, digest: createPairDigest(pair, model) }))
    const digests = named.map(({ digest }) => digest)
    const remembered = await findRememberedDigests(db, digests)
    const fresh = named.filter(({ digest }) => !remembered.has(digest.toString('hex')))
    return fresh.length === 0 ? [] : findUnrelatedPairs(db, fresh)
  }

  async function prepare(
    db: Database,
    model: ModelSession,
    { onlyIds, ...pair }: Pick<Pair, 'one' | 'other'> & { onlyIds?: readonly string[] },
  ) {
    const one = await readSide(db, model, { id: pair.one, onlyIds })
    const other = await readSide(db, model, { id: pair.other, onlyIds })
    if (!one || !other || one.entity.scope !== other.entity.scope) return undefined
    const question = buildQuestion([one, other])
    return (
      question && { one: one.entity, other: other.entity, question, digest: createPairDigest(pair, model) }
    )
  }

  async function readSide(
    db: Database,
    { maxSensitivity }: ModelSession,
    { id, onlyIds }: { id: string; onlyIds: readonly string[] | undefined },
  ): Promise<EntityWithFacts | undefined> {
    const entity = await findEntity(db, { id, ceiling: maxSensitivity })
    return entity && { entity, facts: await findEntityFacts(db, id, { limit: maxFacts, onlyIds }) }
  }

  /** A pair is asked about once. If a client removes the result, it does not come back. */
  async function storeReply(
    tx: Transaction,
    context: DreamContext,
    model: ModelSession,
    { due, reply }: { due: DuePair; reply: ModelReply<Connection> },
  ): Promise<BatchResult> {
    const counts = { pairs_asked: 1 }
    const { startedAt: now } = context.run
    if ('answer' in reply && reply.answer.connected) {
      const changes = await storeConnection(tx, context, model, { due, connection: reply.answer })
      if (changes === 'outdated') return { counts: { ...counts, pairs_outdated: 1 } }
      if (changes) {
        await upsertVerdict(tx, { step, digest: due.digest, now })
        return { counts: { ...counts, pairs_connected: 1 }, changes }
      }
    }
    await upsertVerdict(tx, { step, digest: due.digest, now })
    return { counts: { ...counts, pairs_rejected: 1 } }
  }

  /**
   * Stores the connection only if everything shown to the model is unchanged. Returns undefined if the same content
   * was erased earlier.
   */
  async function storeConnection(
    tx: Transaction,
    { run }: DreamContext,
    model: ModelSession,
    { due, connection }: { due: DuePair; connection: Extract<Connection, { connected: true }> },
  ) {
    const { question } = due
    const pair = { one: due.one.id, other: due.other.id }
    await lockTombstonesShared(tx)
    const onlyIds = question.shownRecords.map(({ id }) => id)
    await lockRecords(tx, [pair.one, pair.other, ...onlyIds])
    const current = await prepare(tx, model, { ...pair, onlyIds })
    const isSame = current && JSON.stringify(current.question.document) === JSON.stringify(question.document)
    if (!isSame || (await findUnrelatedPairs(tx, [pair])).length === 0) return 'outdated' as const
    const origin = { now: run.startedAt, runId: run.id, actor }
    // The entities in their present state: they may have become more sensitive, or have moved to another scope.
    const newId = await insertFact(tx, { ...origin, ...toFact(current, connection) })
    if (newId === undefined) return undefined
    const { one, other } = current
    const [from, to] = getRank(other.sensitivity) > getRank(one.sensitivity) ? [other, one] : [one, other]
    await insertRelation(tx, { one: from.id, other: to.id }, origin)
    return [
      { record_id: newId, action: 'create', after: { type: 'semantic', connects: [one.id, other.id] } },
      { record_id: from.id, action: 'relate', after: { predicate: 'related_to', target_id: to.id } },
    ]
  }

  /** The edge is recorded at the more sensitive entity, because its readers may see both. */
  async function insertRelation(
    tx: Transaction,
    { one, other }: Pick<Pair, 'one' | 'other'>,
    origin: { now: Date; runId: string; actor: string },
  ): Promise<void> {
    await upsertEdges(tx, addInverses([createEdge(one, 'related_to', other, origin.now)]))
    const [stored] = await findRecords(tx, [one], fullTrust, 1)
    if (!stored) throw new Error('the locked entity does not exist')
    await writeChange(tx, stored, {
      ...origin,
      action: 'revise',
      rationale: 'related',
      textLanguage,
      changes: { [`relations.related_to.${other}`]: [null, 1] },
    })
  }

  return {
    name: step,
    figures: ['pairs_asked', 'pairs_connected', 'pairs_rejected', 'pairs_outdated'],
    run,
  }
}

/**
 * The digest depends on the entities and not on their facts, so a rejected pair stays rejected when new facts arrive.
 */
function createPairDigest({ one, other }: Pick<Pair, 'one' | 'other'>, { model }: ModelSession): Buffer {
  return createQuestionDigest({ step, model, inputs: [one, other] })
}

/** The fact has the higher sensitivity of the two. */
function toFact(
  { one, other, question }: DuePair,
  { synthesis, insight }: Extract<Connection, { connected: true }>,
) {
  const sensitivity: Sensitivity =
    getRank(one.sensitivity) > getRank(other.sensitivity) ? one.sensitivity : other.sensitivity
  return {
    scope: one.scope,
    sensitivity,
    rationale: 'synthesis',
    tags: ['synthesis'],
    fact: {
      subject: one.payload.canonical_name,
      predicate: 'related_to',
      object: { entity: other.payload.canonical_name, synthesis, insight },
    },
    sources: [one.id, other.id, ...question.shownRecords.map(({ id }) => id)],
    links: [
      { predicate: 'subject_entity', target: one.id },
      { predicate: 'object_entity', target: other.id },
    ],
  }
}
