import type { Database } from '../db/connection.ts'
import type { Seal } from '../domain/tombstone-seal.ts'
import type { JobWork, RunContext } from '../jobs/runs.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import { momentBefore } from '../kernel/units.ts'
import type { PoliciesService } from '../policies/index.ts'
import type { ConsolidationOptions } from './consolidation.schemas.ts'
import { countDue, type Due } from './episode-batches.queries.ts'
import { createCompression } from './episode-compression.job.ts'
import { createExtraction, type Extraction } from './extraction/extraction.job.ts'
import { createFacts } from './facts/facts.service.ts'
import { createSemantic } from './facts/observed-facts.job.ts'
import { divide, runInLanes } from './parallel-stages.service.ts'
import { planning } from './practices/learned-plan.ts'
import { createCounting } from './practices/practices.job.ts'
import { competence } from './practices/skill.ts'
import { figures, type Stage, type StageName } from './stages.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  seal: Seal
  textLanguage: string
  policies: Pick<PoliciesService, 'getAll'>
  compressionAgeMs: number
  /** Without one nobody reads what episodes tell between the lines; they wait for one. */
  extraction?: Extraction | undefined
  /** Most episodes of a batch. */
  size?: number
}

/**
 * Experience becomes knowledge, once. Each stage goes through its own part of the list of what is unconsolidated, and
 * leaves it shorter. With nothing on the list a run is one statement.
 */
export function createConsolidation(resources: Resources): JobWork {
  const { db, clock, compressionAgeMs, extraction } = resources
  const facts = createFacts(resources)
  const stages: readonly Stage[] = [
    createCompression(resources),
    createSemantic({ ...resources, facts }),
    ...(extraction ? [createExtraction({ ...extraction, clock, facts })] : []),
    createCounting(competence, resources),
    createCounting(planning, resources),
  ]

  async function run(context: RunContext): Promise<void> {
    // Checked when the run was asked for.
    const options = context.run.options as ConsolidationOptions
    const chosen = stages.filter(({ name }) => isChosen(options, name))
    const due = await countDue(
      db,
      chosen.map(({ name }) => dueOf(context, name)),
    )
    const total = chosen.reduce((sum, { name }) => sum + (due.get(name) ?? 0), 0)
    await context.setTotal(total, [...figures, ...chosen.map(({ name }) => `${name}_ms`)])
    const asksModel = !context.run.dryRun || options.ask_model === true
    // What a lost worker held for the model is not counted as due, and the stage itself gives it back.
    const isDue = ({ name }: Stage) => due.has(name) || name === 'extraction'
    await runInLanes(divide(chosen.filter(isDue)), { ...context, asksModel })
  }

  function dueOf({ run: { scope, startedAt } }: RunContext, stage: StageName): Due {
    const age = stage === 'episodic' ? compressionAgeMs : 0
    return { stage, scope, until: momentBefore(startedAt, age), now: clock.now() }
  }

  return { run }
}

function isChosen({ stages }: ConsolidationOptions, name: StageName): boolean {
  return stages === undefined || stages.includes(name)
}
