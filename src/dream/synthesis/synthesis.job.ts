import type { Transaction } from '../../db/transaction.ts'
import { addInverses, createEdge } from '../../domain/edges/edges.ts'
import { fullTrust, getRank, type Sensitivity } from '../../domain/trust/caller.ts'
import { findRunFigures } from '../../jobs/runs/run-figures.queries.ts'
import type { BatchResult } from '../../jobs/runs/runs.ts'
import { findRecords, lockRecords, lockTombstonesShared, writeChange } from '../../records/index.ts'
import { upsertEdges } from '../../relations/index.ts'
import type { InsertFact } from '../insert-fact.service.ts'
import type { ModelReply, ModelSession } from '../model-question.ts'
import { askDueQuestions } from '../question-loop.service.ts'
import type { DreamContext, Step } from '../steps.ts'
import { upsertVerdict } from '../verdicts.queries.ts'
import { type DuePair, listDuePairs, preparePair, step } from './due-pairs.service.ts'
import { findUnrelatedPairs } from './synthesis.queries.ts'
import type { Connection } from './synthesis-prompt.ts'

type Resources = { insertFact: InsertFact; textLanguage: string }

/** Per run. */
const maxQuestions = 5

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
      due: listDuePairs(context, model),
      getRecordId: ({ one }) => one.id,
      storeReply: (tx, due, reply) => storeReply(tx, context, model, { due, reply }),
    })
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
    const current = await preparePair(tx, model, { ...pair, onlyIds })
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
    { one, other }: { one: string; other: string },
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
