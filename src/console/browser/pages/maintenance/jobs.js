import { caller } from '../../api/session.js'

/** @typedef {'decay' | 'consolidate' | 'dream' | 'compress' | 'embed' | 'purge' | 'refresh_importance'} Job */

/** The jobs that can be started by hand. @type {readonly Job[]} */
export const jobs = ['decay', 'consolidate', 'dream', 'compress', 'embed', 'purge', 'refresh_importance']

/** Every job that a list of runs can be narrowed to. */
export const listedJobs = /** @type {const} */ ([...jobs, 'simulation', 'undo'])

/** A run of these has nothing to take back. @type {ReadonlySet<string>} */
const final = new Set(['purge', 'embed', 'simulation'])

/** A run of these works on all scopes. @type {ReadonlySet<string>} */
export const unscoped = new Set(['purge', 'compress'])

/** Whether what a run did can be taken back. @param {import('../../api/types.d.ts').MaintenanceRun} run */
export function isUndoable({ job, dry_run, finished_at }) {
  return finished_at !== undefined && !dry_run && !final.has(job)
}

/** Whether the key sees everything: settings of the whole store need that. */
export function seesAll() {
  const own = caller.value
  return own !== undefined && own.scopes.length === 0 && own.max_sensitivity === 'hyper'
}
