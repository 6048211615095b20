import Type from 'typebox'
import { AppError } from '../kernel/errors.ts'
import { isUuid } from '../kernel/ids.ts'
import { ref } from './schemas/schema-ref.ts'
import { Uuid } from './schemas/shapes.ts'

/** The actions that the jobs list for a record, except for records that they left as they were. */
const actionsOfJobs = {
  decay: ['prune', 'forget', 'promote'],
  consolidate: ['create', 'reinforce', 'revise', 'compress'],
  dream: [
    'promote',
    'archive',
    'rescore',
    'create',
    'merge',
    'unmerge',
    'supersede',
    'relate',
    'candidate',
    'probe_challenge',
    'drift_challenge',
    'drift_invalidate',
    'drift_restore',
  ],
  compress: ['reduce'],
  refresh_importance: ['rescore'],
  purge: ['purge'],
  undo: ['undo'],
} as const

export const runActions = [...new Set(Object.values(actionsOfJobs).flat())]

/** Selects changes of a run or a plan. */
export const ChangeSelector = ref(
  Type.Union([Type.Enum(runActions), Uuid()], {
    $id: 'ChangeSelector',
    description: 'An action, or the id of a record.',
  }),
)

/** The actions that a selection may name for a job. If the job lists none: the actions of all jobs. */
function listActions(job: string): readonly string[] {
  return Object.entries(actionsOfJobs).find(([name]) => name === job)?.[1] ?? runActions
}

type Selection = { only?: readonly string[] | undefined; except?: readonly string[] | undefined }

/** A client that names an action of another job expects an effect that the run or the plan cannot have. */
export function requireActionsOf(job: string, selection: Selection): void {
  const known = new Set(listActions(job))
  const errors = (['only', 'except'] as const).flatMap((member) =>
    (selection[member] ?? []).flatMap((name, index) =>
      known.has(name) || isUuid(name)
        ? []
        : [{ pointer: `/${member}/${index}`, message: `is not an action of the job ${job}` }],
    ),
  )
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The selection names actions of other jobs.', { errors })
}
