import type { Database } from '../db/connection.ts'
import type { JobWork, RunContext } from '../jobs/runs/runs.ts'
import type { Clock } from '../kernel/clock.ts'
import { subtractMilliseconds } from '../kernel/units.ts'
import type { WritingResources } from '../records/index.ts'
import { createCompressionStage } from './compression/episode-compression.job.ts'
import type { ConsolidationOptions } from './consolidation.schemas.ts'
import { countDue, type DueFilter } from './episode-batches.queries.ts'
import { createExtractionStage, type Extraction } from './extraction/extraction.job.ts'
import { createFacts } from './facts/facts.service.ts'
import { createObservedFactsStage } from './facts/observed-facts.job.ts'
import { groupStages, runGroupsInParallel } from './parallel-stages.service.ts'
import { planKind } from './practices/learned-plan.ts'
import { createPracticeStage } from './practices/practices.job.ts'
import { skillKind } from './practices/skill.ts'
import { figures, type Stage, type StageName } from './stages.ts'

type Resources = WritingResources & {
  db: Database
  clock: Clock
  compressionAgeMs: number
  /** Without a chat model nothing is extracted from free text, and the episodes stay on the list. */
  extraction?: Extraction | undefined
  /** Maximum number of episodes in a batch. */
  size?: number
}

/**
 * Derives facts, skills and plans from episodes, each episode once. Each stage processes its own rows of
 * `unconsolidated` and deletes them. If the list is empty, a run costs one statement.
 */
export function createConsolidation(resources: Resources): JobWork {
  const { db, clock, compressionAgeMs, extraction } = resources
  const facts = createFacts(resources)
  const stages: readonly Stage[] = [
    createCompressionStage(resources),
    createObservedFactsStage({ ...resources, facts }),
    ...(extraction ? [createExtractionStage({ ...extraction, clock, facts })] : []),
    createPracticeStage(skillKind, resources),
    createPracticeStage(planKind, resources),
  ]

  async function run(context: RunContext): Promise<void> {
    // The options were validated when the run was requested.
    const options = context.run.options as ConsolidationOptions
    const chosenStages = stages.filter(({ name }) => isChosen(options, name))
    const due = await countDue(
      db,
      chosenStages.map(({ name }) => createFilter(context, name)),
    )
    const total = chosenStages.reduce((sum, { name }) => sum + (due.get(name) ?? 0), 0)
    await context.setTotal(total, [...figures, ...chosenStages.map(({ name }) => `${name}_ms`)])
    const asksModel = !context.run.dryRun || options.ask_model === true
    // Episodes that a lost worker claimed for the model are not counted as due. The extraction stage releases them
    // itself.
    const isDue = ({ name }: Stage) => due.has(name) || name === 'extraction'
    await runGroupsInParallel(groupStages(chosenStages.filter(isDue)), { ...context, asksModel })
  }

  function createFilter({ run: { scope, startedAt } }: RunContext, stage: StageName): DueFilter {
    const age = stage === 'episodic' ? compressionAgeMs : 0
    return { stage, scope, until: subtractMilliseconds(startedAt, age), now: clock.now() }
  }

  return { run, batchesDepend: () => true }
}

function isChosen({ stages }: ConsolidationOptions, name: StageName): boolean {
  return stages === undefined || stages.includes(name)
}
