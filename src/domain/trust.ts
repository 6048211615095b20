import { AppError } from '../kernel/errors.ts'
import { type Caller, rankOf, type Trust } from './caller.ts'

/** What a caller may do with things that are not records: settings, keys, tombstones, counts. */

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

/** Whether `inner` sees no more than `outer`. */
export function isTrustWithin(inner: Trust, outer: Trust): boolean {
  const isWithinScopes =
    outer.scopes === null || (inner.scopes?.every((scope) => outer.scopes?.includes(scope)) ?? false)
  return isWithinScopes && rankOf(inner.maxSensitivity) <= rankOf(outer.maxSensitivity)
}
