import { AppError, createFaultError } from '../../kernel/errors.ts'
import { sourceTrust } from '../importance/importance.ts'
import {
  type Caller,
  getRank,
  isAllowed,
  isOpenTo,
  type Sensitivity,
  type SourceType,
  type Trust,
  unscoped,
} from './caller.ts'

/** The rules of trust for request bodies. */

/** The scope of a new record. A key with one scope need not name it; a key with several must. */
export function chooseWriteScope(caller: Caller, named: string | undefined): string {
  const { scopes } = caller.trust
  if (named !== undefined) {
    requireScope(caller, named)
    return named
  }
  if (!scopes) return unscoped
  const [only] = scopes
  if (scopes.length === 1 && only !== undefined) return only
  const message = `is required for a key of several scopes: one of ${listScopes(scopes)}`
  throw new AppError('scope_required', 'The key has several scopes; the request must name one of them.', {
    errors: [{ pointer: '/scope', message }],
  })
}

/** A caller such as an agent has no other way to learn them. */
export function listScopes(scopes: readonly string[]): string {
  const named = scopes.slice(0, 20).map((scope) => JSON.stringify(scope))
  return [...named, ...(scopes.length > named.length ? ['…'] : [])].join(', ')
}

/** Whether the key may write to the scope. Only a key for all scopes may write records without a scope. */
export function canWriteTo({ scopes }: Trust, scope: string): boolean {
  return !scopes || scopes.includes(scope)
}

export function requireScope({ trust }: Caller, scope: string): void {
  if (canWriteTo(trust, scope)) return
  const others = trust.scopes ? `, only to ${listScopes(trust.scopes)}` : ''
  throw new AppError('outside_trust', `The key may not write to this scope${others}.`)
}

export function requireCeiling(caller: Caller, sensitivity: Sensitivity): void {
  if (isOpenTo(caller.trust, sensitivity)) return
  throw new AppError('outside_trust', 'The sensitivity is above the ceiling of the key.')
}

/**
 * Lowering a sensitivity needs `admin`: a caller who may only write must not publish a confidential record.
 */
export function requireNotLowered(caller: Caller, before: Sensitivity, after: Sensitivity): void {
  if (getRank(after) >= getRank(before) || isAllowed(caller, 'admin')) return
  throw new AppError('forbidden', 'Lowering a sensitivity needs the permission admin.')
}

type Protection = { pinned?: boolean; deletion_policy?: 'auto_prune' | 'manual_only' | 'never' }

/**
 * Pinning by patch needs the same permission as the pin call. Only an admin may weaken the deletion policy `never`:
 * otherwise a key that may write could delete a protected record in two calls.
 */
export function requireProtection(caller: Caller, before: Required<Protection>, after: Protection): void {
  if (after.pinned !== undefined && after.pinned !== before.pinned && !isAllowed(caller, 'lifecycle:write')) {
    throw new AppError('forbidden', 'Pinning and unpinning need the permission lifecycle:write.')
  }
  const isWeakened = after.deletion_policy !== undefined && after.deletion_policy !== 'never'
  if (!isWeakened || before.deletion_policy !== 'never' || isAllowed(caller, 'admin')) return
  throw new AppError('forbidden', 'Weakening the deletion policy `never` needs the permission admin.')
}

/** A request may name a source type that is less trusted than that of the key, never a more trusted one. */
export function chooseSourceType(caller: Caller, claimed: SourceType | undefined): SourceType {
  if (claimed === undefined || sourceTrust[claimed] <= sourceTrust[caller.sourceType]) {
    return claimed ?? caller.sourceType
  }
  throw createFaultError('The source type is more trusted than the key.', {
    pointer: '/source_type',
    message: `may not claim more trust than ${caller.sourceType}`,
  })
}

export function chooseLeastTrusted(one: SourceType, other: SourceType): SourceType {
  return sourceTrust[other] < sourceTrust[one] ? other : one
}
