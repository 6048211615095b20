import { AppError } from '../../kernel/errors.ts'
import { type Caller, getRank, type Trust } from './caller.ts'
import { canWriteTo } from './write-trust.ts'

/** The rules of trust for things that are not records: settings, keys, tombstones, counts. */

export function hasFullTrust({ scopes, maxSensitivity }: Trust): boolean {
  return scopes === null && maxSensitivity === 'hyper'
}

/** A key that is limited to some records must not change a setting that applies to all of them. */
export function requireFullTrust({ trust }: Caller): void {
  if (hasFullTrust(trust)) return
  throw new AppError(
    'outside_trust',
    'The change applies to all records, so it needs a key with all scopes and the highest ceiling.',
  )
}

/** A setting of a scope applies to all its records, also to those above the ceiling of a key. */
export function requireWholeScope({ trust }: Caller, scope: string): void {
  if (canWriteTo(trust, scope) && trust.maxSensitivity === 'hyper') return
  throw new AppError(
    'outside_trust',
    'The change applies to all records of the scope, so it needs a key with the scope and the highest ceiling.',
  )
}

/** Whether `inner` sees no more than `outer`. */
export function isTrustWithin(inner: Trust, outer: Trust): boolean {
  const isWithinScopes =
    outer.scopes === null || (inner.scopes?.every((scope) => outer.scopes?.includes(scope)) ?? false)
  return isWithinScopes && getRank(inner.maxSensitivity) <= getRank(outer.maxSensitivity)
}
