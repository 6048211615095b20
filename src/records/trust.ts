import { sourceTrust } from '../cognition/importance.ts'
import {
  type Caller,
  isAllowed,
  rankOf,
  type Sensitivity,
  type SourceType,
  unscoped,
} from '../kernel/caller.ts'
import { AppError } from '../kernel/errors.ts'

/** What a caller may write: the rules of trust turned to bodies. */

/** The scope a new record gets: a key of one scope need not name it, one of several must. */
export function writableScope(caller: Caller, named: string | undefined): string {
  const { scopes } = caller.trust
  if (named !== undefined) {
    requireScope(caller, named)
    return named
  }
  if (!scopes) return unscoped
  const [only] = scopes
  if (scopes.length === 1 && only !== undefined) return only
  throw new AppError('scope_required', 'The key has several scopes; the body must name one of them.', {
    errors: [{ pointer: '/scope', message: 'is required for a key of several scopes' }],
  })
}

/** Only a key of all scopes may write without one. */
export function requireScope(caller: Caller, scope: string): void {
  const { scopes } = caller.trust
  if (!scopes || scopes.includes(scope)) return
  throw new AppError('outside_trust', 'The key may not write to this scope.')
}

export function requireCeiling(caller: Caller, sensitivity: Sensitivity): void {
  if (rankOf(sensitivity) <= rankOf(caller.trust.maxSensitivity)) return
  throw new AppError('outside_trust', 'The sensitivity is above the ceiling of the key.')
}

/** What was told in confidence is not made public by whoever may merely write. */
export function requireNotLowered(caller: Caller, before: Sensitivity, after: Sensitivity): void {
  if (rankOf(after) >= rankOf(before) || isAllowed(caller, 'admin')) return
  throw new AppError('forbidden', 'Lowering a sensitivity takes the admin permission.')
}

/** A source may be claimed to be less trusted than the key's own, never more. */
export function claimableSource(caller: Caller, claimed: SourceType | undefined): SourceType {
  if (claimed === undefined || sourceTrust[claimed] <= sourceTrust[caller.sourceType]) {
    return claimed ?? caller.sourceType
  }
  throw new AppError('validation_failed', 'The source type claims more trust than the key has.', {
    errors: [{ pointer: '/source_type', message: `may not claim more trust than ${caller.sourceType}` }],
  })
}
