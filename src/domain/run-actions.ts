import Type from 'typebox'
import { Uuid } from './shapes.ts'

/** What a run or a plan can list of a record, except what it left alone. */
const runActions = [
  ...([
    'prune',
    'forget',
    'purge',
    'promote',
    'archive',
    'create',
    'reinforce',
    'compress',
    'reduce',
  ] as const),
  ...(['merge', 'unmerge', 'supersede', 'relate', 'candidate', 'rescore'] as const),
  ...(['probe_challenge', 'drift_challenge', 'drift_invalidate', 'drift_restore', 'undo'] as const),
]

/** Selects changes of a run or a plan. */
export const ChangeSelector = Type.Union([Type.Enum(runActions), Uuid()])
