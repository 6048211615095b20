import { AppError } from '../kernel/errors.ts'
import { type Caller, rankOf, type Trust } from './caller.ts'

/** How much of the store a caller reaches, for what is not a record: settings, keys, tombstones, counts. */

export function hasFullTrust({ scopes, maxSensitivity }: Trust): boolean {
  return scopes === null && maxSensitivity === 'hyper'
}

/** A setting that applies to every record is not changed by a key that is bound to some of them. */
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
