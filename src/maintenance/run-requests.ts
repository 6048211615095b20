import { type Caller, unscoped } from '../domain/trust/caller.ts'
import { chooseWriteScope } from '../domain/trust/write-trust.ts'
import type { JobName } from '../jobs/job-names.ts'
import { AppError, createFaultError } from '../kernel/errors.ts'
import { optionNames } from './maintenance.schemas.ts'

/** A key bound to one scope runs jobs on that scope. Only a key with all scopes runs them on everything. */
export function chooseScope(caller: Caller, job: JobName, named: string | undefined): string | null {
  if (unscopedJobs.has(job)) return requireNoScope(caller, named)
  const scope = chooseWriteScope(caller, named)
  return scope === unscoped ? null : scope
}

/** These jobs work on expired or faded records of all scopes. */
const unscopedJobs: ReadonlySet<JobName> = new Set(['purge', 'compress'])

function requireNoScope({ trust }: Caller, named: string | undefined): null {
  if (trust.scopes) {
    throw new AppError('outside_trust', 'The job works on all scopes, but the key is bound to some scopes.')
  }
  if (named === undefined) return null
  throw createFaultError('The job works on all scopes and takes no scope.', {
    pointer: '/scope',
    message: 'is not accepted by this job, which works on all scopes',
  })
}

/** A job would ignore an option that it does not have, and the client would believe that it applies. */
export function refuseOptions(job: JobName, options: object = {}): void {
  const unknown = Object.keys(options).filter((name) => !optionNames[job]?.includes(name))
  const errors = unknown.map((name) => ({
    pointer: `/options/${name}`,
    message: 'is not an option of this job',
  }))
  if (errors.length > 0) throw new AppError('validation_failed', 'The job has no such option.', { errors })
}
