import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { getRank } from '../../domain/trust/caller.ts'
import { findServingModel } from '../../embeddings/index.ts'
import { findRunFigures } from '../../jobs/runs/run-figures.queries.ts'
import type { BatchResult } from '../../jobs/runs/runs.ts'
import type { InsertFact } from '../insert-fact.service.ts'
import type { ModelSession } from '../model-question.ts'
import type { DreamContext, Step } from '../steps.ts'
import { createQuestionDigest } from '../verdict-digest.ts'
import { hasVerdict, upsertVerdict } from '../verdicts.queries.ts'
import { minMembers } from './cluster-group.ts'
import { createMerge, type MergeInput, restoreOrphans } from './cluster-merge.service.ts'
import { findGroups } from './cluster-search.service.ts'
import {
  findListedCandidates,
  findMembers,
  listPartitions,
  type Member,
  type Partition,
} from './clustering.queries.ts'
import { buildGroupQuestion, type GroupQuestion } from './summary-prompt.ts'

type Resources = { insertFact: InsertFact; seal: Seal; textLanguage: string }

/** Questions per run. Other groups are listed as candidates and wait for the next run. */
const maxQuestions = 100
const listedAtOnce = 200

type Cluster = { partition: Partition; ids: readonly string[] }
/** The number of questions that the run may still ask. */
type Allowance = { remaining: number }
type Question = { groupQuestion: GroupQuestion; members: readonly Member[]; digest: Buffer }

/**
 * Returns the step that merges groups of similar records into a summary written by a model. Without a model it only
 * lists the groups.
 */
export function createClusteringStep(resources: Resources): Step {
  const merge = createMerge(resources)

  async function run(context: DreamContext): Promise<void> {
    await restoreOrphans(context, resources)
    const { db } = context
    const model = await findServingModel(db)
    if (!model) return
    const allowance = await findAllowance(context)
    for (const partition of await listPartitions(db, context.run.scope)) {
      const unmerged: (readonly string[])[] = []
      const flush = async () => {
        if (unmerged.length > 0) await listCandidates(context, unmerged.splice(0))
      }
      for await (const ids of findGroups({ db, context, model, partition })) {
        if (!(await tryMerge(context, { partition, ids }, allowance))) unmerged.push(ids)
        if (unmerged.length >= listedAtOnce) await flush()
      }
      await flush()
    }
  }

  /** Returns what is left for a run that was resumed. */
  async function findAllowance({ db, run: { id } }: DreamContext): Promise<Allowance> {
    const { clusters_merged: merged = 0, clusters_rejected: rejected = 0 } = await findRunFigures(db, id)
    return { remaining: maxQuestions - merged - rejected }
  }

  /** Returns whether the group was merged. */
  async function tryMerge(context: DreamContext, cluster: Cluster, allowance: Allowance): Promise<boolean> {
    const { db, model } = context
    if (
      !model ||
      allowance.remaining <= 0 ||
      getRank(cluster.partition.sensitivity) > getRank(model.maxSensitivity)
    )
      return false
    const question = await prepare(db, model, cluster)
    if (!question || (await hasVerdict(db, { step: 'cluster', digest: question.digest }))) return false
    allowance.remaining--
    const reply = await model.ask(question.groupQuestion.question)
    if ('answer' in reply) {
      const { members } = question
      return storeAnswer(context, question, { partition: cluster.partition, members, summary: reply.answer })
    }
    if (reply.refused === 'invalid') await context.inBatch((tx) => reject(tx, context, question))
    return false
  }

  async function prepare(
    db: Database,
    { model }: ModelSession,
    { partition, ids }: Cluster,
  ): Promise<Question | undefined> {
    const cluster = await findMembers(db, partition, ids)
    const groupQuestion = buildGroupQuestion(cluster)
    if (groupQuestion.sources.length < minMembers) return undefined
    const shown = new Set(groupQuestion.sources.map(({ id }) => id))
    const members = cluster.filter(({ id }) => shown.has(id))
    const inputs = members.flatMap(({ id, version }) => [id, version])
    return { groupQuestion, members, digest: createQuestionDigest({ step: 'cluster', model, inputs }) }
  }

  async function storeAnswer(
    context: DreamContext,
    question: Question,
    mergeInput: MergeInput,
  ): Promise<boolean> {
    try {
      const { isMerged } = await context.inBatch(async (tx): Promise<BatchResult & { isMerged: boolean }> => {
        const merged = await merge(tx, context, mergeInput)
        if (merged.outcome === 'erased') return { ...(await reject(tx, context, question)), isMerged: false }
        if (merged.outcome === 'moved') return { isMerged: false }
        const counts = { clusters_merged: 1, records_merged: mergeInput.members.length }
        return { counts, changes: merged.changes, isMerged: true }
      })
      return isMerged
    } catch (error) {
      await context.recordFault({ error, part: 'cluster', recordId: question.members[0]?.id })
      return false
    }
  }

  async function reject(tx: Transaction, { run }: DreamContext, { digest }: Question): Promise<BatchResult> {
    await upsertVerdict(tx, { step: 'cluster', digest, now: run.startedAt })
    return { counts: { clusters_rejected: 1 } }
  }

  return {
    name: 'cluster',
    figures: [
      'clusters_merged',
      'records_merged',
      'clusters_rejected',
      'cluster_candidates',
      'records_unmerged',
    ],
    run,
  }
}

/** Lists each group once, even if the run was resumed. */
async function listCandidates(
  { inBatch, run }: DreamContext,
  groups: readonly (readonly string[])[],
): Promise<void> {
  await inBatch(async (tx) => {
    const seeds = groups.flatMap(([seed]) => seed ?? [])
    const listed = await findListedCandidates(tx, run.id, seeds)
    const fresh = groups.filter(([seed]) => seed !== undefined && !listed.has(seed))
    const changes = fresh.map(([seed = '', ...others]) => ({
      record_id: seed,
      action: 'candidate',
      after: { members: [seed, ...others] },
    }))
    return { counts: { cluster_candidates: fresh.length }, changes }
  })
}
