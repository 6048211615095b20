import { type RunContext, RunEnded } from '../jobs/runs/runs.ts'
import type { Stage, StageContext, StageName } from './stages.ts'

/**
 * Groups of stages that do not depend on each other and run at the same time: one computes while another waits for
 * the database. Extraction follows the facts that are stated word by word, so that the model's facts can confirm
 * them.
 */
const groups: readonly (readonly StageName[])[] = [
  ['episodic'],
  ['semantic', 'extraction'],
  ['competence', 'plan_graph'],
]

export function groupStages(stages: readonly Stage[]): readonly (readonly Stage[])[] {
  return groups.map((names) => stages.filter(({ name }) => names.includes(name)))
}

/** The stages of a group run one after the other. If one fails, no group starts another batch. */
export function runGroupsInParallel(
  groups: readonly (readonly Stage[])[],
  context: StageContext,
): Promise<void> {
  return runInParallel(
    groups.map((group) => async (inBatch) => {
      for (const stage of group) await stage.run({ ...context, inBatch })
    }),
    context,
  )
}

type InBatch = RunContext['inBatch']

/** Does several parts of a run at the same time. If one fails, none starts another batch. */
export async function runInParallel(
  parts: readonly ((inBatch: InBatch) => Promise<void>)[],
  context: Pick<RunContext, 'inBatch'>,
): Promise<void> {
  const faults: unknown[] = []
  const inBatch: InBatch = (work) => {
    if (faults.length > 0) throw new RunEnded('stopped')
    return context.inBatch(work)
  }
  // Waits for all parts: no write may continue after the run has ended.
  await Promise.all(parts.map((part) => part(inBatch).catch((error) => void faults.push(error))))
  if (faults.length > 0) throw faults[0]
}
