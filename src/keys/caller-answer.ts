import { type Caller, permissions } from '../domain/trust/caller.ts'
import type { OwnKey } from './keys.schemas.ts'

/** The root key and a caller without a key have names in place of an id. */
const withoutId: readonly string[] = ['root', 'anonymous']

/** Returns what a caller may do and see. */
export function presentCaller({ principal, name, trust, ...caller }: Caller): OwnKey {
  return {
    id: withoutId.includes(principal) ? null : principal,
    name,
    permissions: permissions.filter((permission) => caller.permissions.has(permission)),
    scopes: [...(trust.scopes ?? [])],
    max_sensitivity: trust.maxSensitivity,
    source_type: caller.sourceType,
    expires_at: caller.expiresAt?.toISOString() ?? null,
  }
}
