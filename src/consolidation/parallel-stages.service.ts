import { RunEnded } from '../jobs/runs.ts'
import type { Stage, StageContext, StageName } from './stages.ts'

/**
 * Those that do not wait for each other, apart: a batch computes here while that of another stage is being written.
 * A model is asked what an episode tells only after what stands there word by word.
 */
const groups: readonly (readonly StageName[])[] = [
  ['episodic'],
  ['semantic', 'extraction'],
  ['competence', 'plan_graph'],
]

export function groupStages(stages: readonly Stage[]): readonly (readonly Stage[])[] {
  return groups.map((names) => stages.filter(({ name }) => names.includes(name)))
}

/** The stages of a lane follow each other. When one cannot go on, no lane begins another batch. */
export async function runGroupsInParallel(
  groups: readonly (readonly Stage[])[],
  context: StageContext,
): Promise<void> {
  const faults: unknown[] = []
  const inBatch: StageContext['inBatch'] = (work) => {
    if (faults.length > 0) throw new RunEnded('stopped')
    return context.inBatch(work)
  }
  async function run(group: readonly Stage[]): Promise<void> {
    for (const stage of group) await stage.run({ ...context, inBatch })
  }
  // Waits for all of them: what is still being written must not outlive its run.
  await Promise.all(groups.map((group) => run(group).catch((error) => void faults.push(error))))
  if (faults.length > 0) throw faults[0]
}
