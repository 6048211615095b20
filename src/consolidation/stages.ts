import type { Transaction } from '../db/transaction.ts'
import type { Sensitivity } from '../domain/caller.ts'
import type { EpisodicPayload } from '../domain/payloads.ts'
import type { BatchResult, RunContext } from '../jobs/runs.ts'

/** The parts of consolidation, in the order in which they run. */
export const stageNames = ['episodic', 'semantic', 'extraction', 'competence', 'plan_graph'] as const
export type StageName = (typeof stageNames)[number]

/** What a run of it answers in its stats, beside the milliseconds of each stage. */
export const figures = [
  'episodic_compressed',
  'semantic_extracted',
  'semantic_triples_extracted',
  'competence_extracted',
  'plan_graphs_extracted',
  'duplicates_resolved',
  'extraction_skipped',
] as const
export type Figures = Readonly<Partial<Record<(typeof figures)[number], number>>>

export type StageContext = RunContext & {
  /** Whether a dry run asks a model all the same. */
  asksModel: boolean
}

/**
 * One part. It finds its own work on the list of what is unconsolidated, and whatever it makes of an episode is
 * written in the transaction that takes the episode off the list: after a kill either both are there or neither.
 */
export type Stage = { name: StageName; run(context: StageContext): Promise<void> }

/** An episode with something to learn from: neither forgotten nor withdrawn. */
export type Episode = {
  id: string
  scope: string
  sensitivity: Sensitivity
  confidence: number
  created_at: Date
  tags: string[]
  payload: EpisodicPayload
}

/** What a stage does for some episodes at once. */
export type StageInput = {
  episodes: readonly Episode[]
  /** The instant of everything that is written; a run that is taken up again goes on at a later one. */
  now: Date
  runId: string
  /** Nothing of it will stay, so nobody else need be kept out; its locks would be too many for one transaction. */
  isDryRun: boolean
}

export type StageOutcome = Omit<BatchResult, 'counts' | 'done'> & { counts?: Figures }

/**
 * A stage that is nothing but this. It may be handed an episode that it has dealt with before (its outcome was
 * corrected, or it was restored), and must then know that by what it made of it. What it throws costs one
 * episode in the end: the batch is tried again in smaller ones, down to the one at fault, which is put off.
 */
export type Consolidate = (tx: Transaction, lesson: StageInput) => Promise<StageOutcome>
