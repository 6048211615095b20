import type { RunContext } from '../jobs/runs.ts'

/** The parts of a dream, in the order in which they run. */
export const stepNames = ['forget', 'drift', 'prune_logs'] as const
export type StepName = (typeof stepNames)[number]

/** One part, which may be left out; taken up again, it does what is left to do. */
export type Step = {
  name: StepName
  /** What it counts: shown as 0 where there was none. */
  figures: readonly string[]
  /** How many records it has to look at. */
  count(context: RunContext): Promise<number>
  run(context: RunContext): Promise<void>
  /** Where some of it can be shared among workers. */
  help?(context: RunContext): Promise<void>
}
