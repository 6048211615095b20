import { truncate } from '../../kernel/truncated-text.ts'

/** Ordered from the least to the most sensitive. */
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

/**
 * The stored scope of a record without a scope. Every caller may read such a record. No client can use this name.
 */
export const unscoped = ''

/** The member for the scope of a record; none for a record without a scope. */
export function presentScope(scope: string): { scope?: string } {
  return scope === unscoped ? {} : { scope }
}

/**
 * A caller sees records up to the ceiling, in the listed scopes (null: in every scope) and without a scope.
 */
export type Trust = { maxSensitivity: Sensitivity; scopes: readonly string[] | null }

/** These fields decide which callers see a record. */
export type Visibility = { scope: string; sensitivity: Sensitivity }

export function hasSameVisibility(one: Visibility, other: Visibility): boolean {
  return one.scope === other.scope && one.sensitivity === other.sensitivity
}

/** The trust of the service itself, for work that no caller asks for. */
export const fullTrust: Trust = { maxSensitivity: 'hyper', scopes: null }

export type Caller = {
  /** The owner of rate limits and idempotency keys: the id of a key, `root` or `anonymous`. */
  principal: string
  /** The name of the key, as audit entries and default sources show it. */
  name: string
  /** The program that uses the key, if it says its name. */
  client?: string
  permissions: ReadonlySet<Permission>
  trust: Trust
  sourceType: SourceType
  /** When the key stops working; absent for never. */
  expiresAt?: Date
  /** True for a job that acts by itself, without a key. */
  isService?: true
}

/** A job that acts by itself, without limits of trust: what it may write follows from what it was made of. */
export function createServiceCaller(name: string, sourceType: SourceType): Caller {
  return {
    principal: name,
    name,
    sourceType,
    permissions: new Set(permissions),
    isService: true,
    trust: fullTrust,
  }
}

/** The key that made an audit entry. It stands beside the actor, which the caller chooses. */
export type Via = { key_id: string; key_name: string }

export function describeVia({ principal, name, isService }: Caller): Via | null {
  return isService ? null : { key_id: principal, key_name: name }
}

const maxActorLength = 256

/** Who did something, as audit entries show it, unless the request says so. */
export function nameActor({ name, client }: Pick<Caller, 'name' | 'client'>): string {
  return client === undefined ? name : truncate(`${name}/${client}`, maxActorLength)
}

/** `admin` includes every other permission. */
export function isAllowed(caller: Caller, permission: Permission): boolean {
  return caller.permissions.has(permission) || caller.permissions.has('admin')
}

export function getRank(sensitivity: Sensitivity): number {
  return sensitivities.indexOf(sensitivity)
}

/** Whether the caller sees a record whole that is in its scopes. */
export function isOpenTo({ maxSensitivity }: Trust, sensitivity: Sensitivity): boolean {
  return getRank(sensitivity) <= getRank(maxSensitivity)
}
