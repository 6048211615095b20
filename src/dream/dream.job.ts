import type { Database } from '../db/connection.ts'
import { nameTiming, timeBatches } from '../jobs/runs/batch-timing.ts'
import { findRunFigures } from '../jobs/runs/run-figures.queries.ts'
import type { JobWork, RunContext } from '../jobs/runs/runs.ts'
import type { Refresh, RetentionSettings } from '../lifecycle/index.ts'
import type { WritingResources } from '../records/index.ts'
import { createAccessFoldingStep } from './access-folding-step.job.ts'
import { createClusteringStep } from './clustering/clustering.job.ts'
import type { DreamOptions } from './dream.schemas.ts'
import { createDriftStep, type DriftSettings } from './drift/drift.job.ts'
import { createForgettingStep } from './forgetting-step.job.ts'
import { createFactInserter } from './insert-fact.service.ts'
import { modelFigures } from './model-question.ts'
import { type DreamModel, openModelSession } from './model-session.service.ts'
import { createProbingStep } from './probing/probing.job.ts'
import { createProfilesStep } from './profiles/profiles.job.ts'
import type { Step, StepName } from './steps.ts'
import { createSynthesisStep } from './synthesis/synthesis.job.ts'

type Resources = RetentionSettings & {
  db: Database
  forgottenRetentionMs: number
  /** Updates the stored importance. */
  refresh: Refresh
  drift: DriftSettings
  /** Without it no step asks a model. */
  model?: DreamModel | undefined
  writing: WritingResources
  /** Maximum number of records in a batch. */
  size?: number
}

/** Runs the steps one after the other. No step changes a pinned record, and no step deletes anything permanently. */
export function createDream(resources: Resources): JobWork {
  const { drift, writing } = resources
  const writingSteps = createWritingSteps(writing)
  const steps: readonly Step[] = [
    createForgettingStep(resources),
    ...writingSteps,
    createDriftStep(drift),
    createAccessFoldingStep(),
  ]

  async function run(context: RunContext): Promise<void> {
    const chosenSteps = chooseSteps(context)
    let total = 0
    for (const step of chosenSteps) total += (await step.count?.(context)) ?? 0
    await context.setTotal(total, [
      ...chosenSteps.flatMap(({ name, figures }) => [...figures, nameTiming(name)]),
      ...(chosenSteps.some((step) => writingSteps.includes(step)) ? modelFigures : []),
    ])
    const model = await openModelSession(context, resources.model)
    for (const step of await omitFinished(chosenSteps, context)) {
      const timed = { ...addTiming(step.name, context), model }
      // A step that fails must not keep the next ones from their work every night.
      await step.run(timed).catch((error) => context.recordFault({ error, part: step.name }))
    }
  }

  async function help(context: RunContext): Promise<void> {
    for (const step of chooseSteps(context)) await step.help?.(addTiming(step.name, context))
  }

  function chooseSteps({ run: { options } }: RunContext): readonly Step[] {
    // The options were validated when the run was requested.
    const { steps: names } = options as DreamOptions
    return names === undefined ? steps : steps.filter(({ name }) => names.includes(name))
  }

  return { run, help, batchesDepend: () => true }
}

/**
 * A run that another worker continues goes on at the last step that has counted something. The steps before it would take back
 * what the run wrote since: `peer_cards` retires a profile whose sources `probe` has challenged.
 */
async function omitFinished(steps: readonly Step[], { db, run }: RunContext): Promise<readonly Step[]> {
  const counted = await findRunFigures(db, run.id)
  const last = steps.findLastIndex(({ name, figures }) =>
    [...figures, nameTiming(name)].some((figure) => (counted[figure] ?? 0) > 0),
  )
  return steps.slice(Math.max(0, last))
}

/**
 * Returns the steps that write what a model answers. Without a model clustering only lists its groups, and the others
 * do nothing.
 */
function createWritingSteps(writing: WritingResources): readonly Step[] {
  const { seal, textLanguage } = writing
  const insertFact = createFactInserter(writing)
  return [
    createClusteringStep({ insertFact, seal, textLanguage }),
    createProfilesStep({ insertFact, textLanguage }),
    createSynthesisStep({ insertFact, textLanguage }),
    createProbingStep({ textLanguage }),
  ]
}

function addTiming(name: StepName, context: RunContext): RunContext {
  return { ...context, inBatch: timeBatches(name, context.inBatch) }
}
