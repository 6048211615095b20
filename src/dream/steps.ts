import type { RunContext } from '../jobs/runs/runs.ts'
import type { ModelSession } from './model-question.ts'

/**
 * The steps of a dream in the order in which they run, by their names in the API. `forget` is in `forgetting-step`, `cluster` in
 * `clustering/`, `peer_cards` in `profiles/`, `probe` in `probing/`, and `prune_logs` in `access-folding-step`.
 */
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
  /** Undefined without a chat model, and in a dry run unless it may ask the model. */
  model: ModelSession | undefined
}

/** One step, which a run may leave out. A resumed run continues with what is left. */
export type Step = {
  name: StepName
  /** The figures it counts. A figure without a count is shown as 0. */
  figures: readonly string[]
  /** Returns how many records it has to process. Without it the step does not count for the progress of the run. */
  count?(context: RunContext): Promise<number>
  run(context: DreamContext): Promise<void>
  /** The part of the work that several workers can share. */
  help?(context: RunContext): Promise<void>
}
