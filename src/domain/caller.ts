/** Ordered: each level may be told less than the one before it. */
export const sensitivities = ['public', 'low', 'medium', 'high', 'hyper'] as const
export type Sensitivity = (typeof sensitivities)[number]

export const permissions = [
  'records:read',
  'records:write',
  'lifecycle:write',
  'maintenance:run',
  'admin',
] as const
export type Permission = (typeof permissions)[number]

export const sourceTypes = [
  'human',
  'ai',
  'interaction',
  'ingest',
  'code_scan',
  'dream',
  'auto_extracted',
] as const
export type SourceType = (typeof sourceTypes)[number]

/** The scope of a record that has none, and that every caller may see. No scope has this name. */
export const unscoped = ''

/** What may be seen: everything up to the ceiling, in these scopes (null: in all) and in no scope. */
export type Trust = { maxSensitivity: Sensitivity; scopes: readonly string[] | null }

/** Of the service itself, for what no caller asks. */
export const fullTrust: Trust = { maxSensitivity: 'hyper', scopes: null }

export type Caller = {
  /** Whose limits and idempotency keys these are: a key's id, `root` or `anonymous`. */
  principal: string
  /** The key's name, as audit entries and default sources show it. */
  name: string
  permissions: ReadonlySet<Permission>
  trust: Trust
  sourceType: SourceType
  /** When the key stops working; absent for never. */
  expiresAt?: Date
  /** A job that acts by itself: there is no key behind what it does. */
  isService?: true
}

/** The key behind an entry of a log, beside the actor that the caller names. */
export type Via = { key_id: string; key_name: string }

export function viaOf({ principal, name, isService }: Caller): Via | null {
  return isService ? null : { key_id: principal, key_name: name }
}

/** `admin` includes every other permission. */
export function isAllowed(caller: Caller, permission: Permission): boolean {
  return caller.permissions.has(permission) || caller.permissions.has('admin')
}

export function rankOf(sensitivity: Sensitivity): number {
  return sensitivities.indexOf(sensitivity)
}
