import type { RunContext } from '../jobs/runs.ts'
import type { ModelSession } from './model-question.ts'

/** The parts of a dream, in the order in which they run. */
export const stepNames = [
  'forget',
  'cluster',
  'peer_cards',
  'synthesis',
  'probe',
  'drift',
  'prune_logs',
] as const
export type StepName = (typeof stepNames)[number]

export type DreamContext = RunContext & {
  /** None without a chat model, and in a rehearsal unless it is to ask all the same. */
  model: ModelSession | undefined
}

/** One part, which may be left out; taken up again, it does what is left to do. */
export type Step = {
  name: StepName
  /** What it counts: shown as 0 where there was none. */
  figures: readonly string[]
  /** How many records it has to look at. */
  count(context: RunContext): Promise<number>
  run(context: DreamContext): Promise<void>
  /** Where some of it can be shared among workers. */
  help?(context: RunContext): Promise<void>
}
