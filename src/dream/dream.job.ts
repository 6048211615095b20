import type { Database } from '../db/connection.ts'
import type { JobWork, RunContext } from '../jobs/runs.ts'
import type { Refresh, RetentionSettings } from '../lifecycle/index.ts'
import { createPruning } from './access-folding-step.job.ts'
import { createForgetting } from './archival-step.job.ts'
import { createClustering } from './clustering/clustering.job.ts'
import type { DreamOptions } from './dream.schemas.ts'
import { createDrift, type DriftSettings } from './drift/drift.job.ts'
import { type BearingResources, createBearing } from './insert-fact.service.ts'
import { createGateway, type DreamModel } from './model-gateway.service.ts'
import { askingFigures } from './model-question.ts'
import { createProbing } from './probing/probing.job.ts'
import { createCarding } from './profiles/profiles.job.ts'
import type { Step, StepName } from './steps.ts'
import { createSynthesis } from './synthesis/synthesis.job.ts'

type Resources = RetentionSettings & {
  db: Database
  forgottenRetentionMs: number
  /** Brings the stored importance up to date. */
  refresh: Refresh
  /** Without it nothing is held against any files. */
  drift?: DriftSettings
  /** Without it no step asks anybody. */
  model?: DreamModel | undefined
  /** What it takes to write records; without it no step writes any. */
  writing?: BearingResources
  /** Most records of a batch. */
  size?: number
}

/** The steps follow each other. None of them touches what is pinned, and none removes anything for good. */
export function createDream(resources: Resources): JobWork {
  const { db, drift, model, writing } = resources
  const gateway = createGateway({ db, model })
  const writers = writing ? listWriters(db, writing) : []
  const steps: readonly Step[] = [
    createForgetting(resources),
    ...writers,
    ...(drift ? [createDrift({ db, ...drift })] : []),
    createPruning(),
  ]

  async function run(context: RunContext): Promise<void> {
    const chosen = chosenOf(context)
    let total = 0
    for (const step of chosen) total += await step.count(context)
    await context.setTotal(total, [
      ...chosen.flatMap(({ name, figures }) => [...figures, `${name}_ms`]),
      ...(chosen.some((step) => writers.includes(step)) ? askingFigures : []),
    ])
    const asking = await gateway.open(context)
    for (const step of chosen) await step.run({ ...timed(step.name, context), model: asking })
  }

  async function help(context: RunContext): Promise<void> {
    for (const step of chosenOf(context)) await step.help?.(timed(step.name, context))
  }

  function chosenOf({ run: { options } }: RunContext): readonly Step[] {
    // Checked when the run was asked for.
    const { steps: names } = options as DreamOptions
    return names === undefined ? steps : steps.filter(({ name }) => names.includes(name))
  }

  return { run, help }
}

/** They write what a model answers; without one a group is told of, and nothing else is done. */
function listWriters(db: Database, writing: BearingResources): readonly Step[] {
  const { textLanguage } = writing
  const bear = createBearing(writing)
  return [
    createClustering({ db, bear, textLanguage }),
    createCarding({ db, bear, textLanguage }),
    createSynthesis({ db, bear, textLanguage }),
    createProbing({ db, textLanguage }),
  ]
}

/** How long each step took is a figure of the run like any other. */
function timed(name: StepName, context: RunContext): RunContext {
  return {
    ...context,
    inBatch: (work) =>
      context.inBatch(async (tx) => {
        const began = performance.now()
        const outcome = await work(tx)
        const ms = Math.round(performance.now() - began)
        const figure = `${name}_ms`
        return { ...outcome, counts: { ...outcome.counts, [figure]: (outcome.counts?.[figure] ?? 0) + ms } }
      }),
  }
}
