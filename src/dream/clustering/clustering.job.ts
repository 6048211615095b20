import type { Database } from '../../db/connection.ts'
import { isOutage } from '../../db/failures.ts'
import type { Transaction } from '../../db/transaction.ts'
import { rankOf } from '../../domain/caller.ts'
import { findServingModel } from '../../embeddings/index.ts'
import { type BatchResult, RunEnded } from '../../jobs/runs.ts'
import { findFigure } from '../entity-facts.queries.ts'
import type { Bear } from '../insert-fact.service.ts'
import type { Asking } from '../model-question.ts'
import type { DreamContext, Step } from '../steps.ts'
import { digestOf } from '../verdict-digest.ts'
import { hasVerdict, rememberVerdict } from '../verdicts.queries.ts'
import { leastMembers } from './cluster-group.ts'
import { createMerging, type Merging } from './cluster-merge.service.ts'
import { findGroups } from './cluster-search.service.ts'
import { findListed, findMembers, listPartitions, type Member, type Partition } from './clustering.queries.ts'
import { reviveOrphans } from './orphans.service.ts'
import { type Told, tellGroup } from './summary-prompt.ts'

type Resources = { db: Database; bear: Bear; textLanguage: string }

/** Of a run: what is left over is told of, and has its turn the next time. */
const mostAsked = 100
const listedAtOnce = 200

type Found = { partition: Partition; ids: readonly string[] }
/** How many more questions the run may ask, whatever comes of them. */
type Allowance = { left: number }
type Question = { told: Told; members: readonly Member[]; digest: Buffer }

/** What is nearly the same becomes one, by the words of a model; without them it is only told of. */
export function createClustering({ db, ...resources }: Resources): Step {
  const merge = createMerging(resources)

  async function run(context: DreamContext): Promise<void> {
    await reviveOrphans(context, resources.textLanguage)
    const model = await findServingModel(db)
    if (!model) return
    const allowance = await findAllowance(context)
    for (const partition of await listPartitions(db, context.run.scope)) {
      const left: (readonly string[])[] = []
      const flush = async () => {
        if (left.length > 0) await list(context, left.splice(0))
      }
      for await (const ids of findGroups({ db, context, model, partition })) {
        if (!(await isSettled(context, { partition, ids }, allowance))) left.push(ids)
        if (left.length >= listedAtOnce) await flush()
      }
      await flush()
    }
  }

  /** Of a run that is taken up again, what it has left. */
  async function findAllowance({ run: { id } }: DreamContext): Promise<Allowance> {
    const merged = await findFigure(db, id, 'clusters_merged')
    return { left: mostAsked - merged - (await findFigure(db, id, 'clusters_rejected')) }
  }

  /** Whether it has become one. */
  async function isSettled(context: DreamContext, found: Found, allowance: Allowance): Promise<boolean> {
    const { model } = context
    if (!model || allowance.left <= 0 || rankOf(found.partition.sensitivity) > rankOf(model.maxSensitivity))
      return false
    const question = await prepare(model, found.ids)
    if (!question || (await hasVerdict(db, { step: 'cluster', digest: question.digest }))) return false
    allowance.left--
    const asked = await model.ask(question.told.question)
    if ('answer' in asked) {
      const { members } = question
      return conclude(context, question, { partition: found.partition, members, summary: asked.answer })
    }
    if (asked.refused === 'invalid') await context.inBatch((tx) => reject(tx, context, question))
    return false
  }

  async function prepare({ model }: Asking, ids: readonly string[]): Promise<Question | undefined> {
    const found = await findMembers(db, ids)
    const told = tellGroup(found)
    if (told.sources.length < leastMembers) return undefined
    const shown = new Set(told.sources.map(({ id }) => id))
    const members = found.filter(({ id }) => shown.has(id))
    const inputs = members.flatMap(({ id, version }) => [id, version])
    return { told, members, digest: digestOf({ step: 'cluster', model, inputs }) }
  }

  async function conclude(context: DreamContext, question: Question, merging: Merging): Promise<boolean> {
    try {
      const { isMerged } = await context.inBatch(async (tx): Promise<BatchResult & { isMerged: boolean }> => {
        const merged = await merge(tx, context, merging)
        if (merged.outcome === 'erased') return { ...(await reject(tx, context, question)), isMerged: false }
        if (merged.outcome === 'moved') return { isMerged: false }
        const counts = { clusters_merged: 1, records_merged: merging.members.length }
        return { counts, changes: merged.changes, isMerged: true }
      })
      return isMerged
    } catch (error) {
      if (error instanceof RunEnded || isOutage(error)) throw error
      const [seed] = question.members
      await context.recordFault({ error, part: 'cluster', ...(seed ? { recordId: seed.id } : {}) })
      return false
    }
  }

  async function reject(tx: Transaction, { run }: DreamContext, { digest }: Question): Promise<BatchResult> {
    await rememberVerdict(tx, { step: 'cluster', digest, now: run.startedAt })
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
    count: async () => 0,
    run,
  }
}

/** Each once, also by a run that is taken up again. */
async function list({ inBatch, run }: DreamContext, groups: readonly (readonly string[])[]): Promise<void> {
  await inBatch(async (tx) => {
    const seeds = groups.flatMap(([seed]) => seed ?? [])
    const listed = await findListed(tx, run.id, seeds)
    const fresh = groups.filter(([seed]) => seed !== undefined && !listed.has(seed))
    const changes = fresh.map(([seed = '', ...others]) => ({
      ...{ record_id: seed, action: 'candidate' },
      after: { members: [seed, ...others] },
    }))
    return { counts: { cluster_candidates: fresh.length }, changes }
  })
}
