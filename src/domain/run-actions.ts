import Type from 'typebox'
import { Uuid } from './shapes.ts'

/** What the jobs list of a record, except what they left alone. */
const actionsOfJobs = {
  decay: ['prune', 'forget', 'promote'],
  consolidate: ['create', 'reinforce', 'revise', 'compress'],
  dream: [
    ...(['archive', 'create', 'merge', 'unmerge', 'supersede', 'relate', 'candidate', 'rescore'] as const),
    ...(['probe_challenge', 'drift_challenge', 'drift_invalidate', 'drift_restore'] as const),
  ],
  compress: ['reduce'],
  refresh_importance: ['rescore'],
  purge: ['purge'],
  undo: ['undo'],
} as const

const runActions = [...new Set(Object.values(actionsOfJobs).flat())]

/** Selects changes of a run or a plan. */
export const ChangeSelector = Type.Union([Type.Enum(runActions), Uuid()])

/** The actions that a selection may name of a job; those of every job where the job lists none. */
export function listActions(job: string): readonly string[] {
  return Object.entries(actionsOfJobs).find(([name]) => name === job)?.[1] ?? runActions
}
