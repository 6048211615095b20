import type { Transaction } from '../db/transaction.ts'
import type { BatchResult, RunContext } from '../jobs/runs/runs.ts'
import type { Episode } from './episode.ts'

/** The stages of consolidation in the order in which they run. */
export const stageNames = ['episodic', 'semantic', 'extraction', 'competence', 'plan_graph'] as const
export type StageName = (typeof stageNames)[number]

/** The counts in the statistics of a run, beside the milliseconds of each stage. */
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
  /** Whether a dry run asks the model too. */
  asksModel: boolean
}

/**
 * One stage. It finds its own work in `unconsolidated`. Its results are written in the transaction that deletes the
 * episode from the list, so that a crash leaves both or neither.
 */
export type Stage = { name: StageName; run(context: StageContext): Promise<void> }

/** The input of a stage for one batch of episodes. */
export type StageInput = {
  episodes: readonly Episode[]
  /** The time of everything that the batch writes. A resumed run continues with a later time. */
  now: Date
  runId: string
  /** A dry run stores nothing, so no handles are locked: the locks of a whole run would be too many for one transaction. */
  isDryRun: boolean
  /** The run for which statements keep the rows that they write, if they do. Otherwise triggers do, if the run keeps any. */
  effectsRunId?: string | undefined
}

export type StageOutcome = Omit<BatchResult, 'counts' | 'done'> & { counts?: Figures }

/**
 * Processes a batch. It may get an episode that it has processed before, after a restore or a corrected outcome, and
 * must recognise it by the records made from it. If it throws, the batch is retried in smaller ones until only the
 * failing episode is postponed.
 */
export type Consolidate = (tx: Transaction, input: StageInput) => Promise<StageOutcome>
