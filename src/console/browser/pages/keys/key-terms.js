/** @import { MemoryRecord, Permission, SeenRecord } from '../../api/types.d.ts' */

/** @typedef {MemoryRecord['sensitivity']} Sensitivity */
/** @typedef {{ scopes: readonly string[], max_sensitivity: Sensitivity }} Reach */

/** @type {readonly { name: Permission, meaning: string }[]} */
export const permissions = [
  { name: 'records:read', meaning: 'Read, search, retrieve, export.' },
  { name: 'records:write', meaning: 'Create, revise, forget, import.' },
  { name: 'lifecycle:write', meaning: 'Reinforce, pin, promote, restore, erase.' },
  { name: 'maintenance:run', meaning: 'Run, plan, apply and undo jobs.' },
  { name: 'admin', meaning: 'Everything above, keys and policies.' },
]

/** From the least to the most sensitive. @type {readonly Sensitivity[]} */
export const sensitivities = ['public', 'low', 'medium', 'high', 'hyper']

/** @type {readonly MemoryRecord['source_type'][]} */
export const sourceTypes = ['human', 'ai', 'interaction', 'ingest', 'code_scan', 'dream', 'auto_extracted']

/**
 * How a key sees a record: in full, without its content one level above its ceiling, or not at all. The service decides by
 * the same rule.
 * @param {SeenRecord} record
 * @param {Reach} reach
 * @returns {'in full' | 'redacted' | 'hidden'}
 */
export function seenAs({ scope, sensitivity }, { scopes, max_sensitivity: ceiling }) {
  if (scope !== undefined && scopes.length > 0 && !scopes.includes(scope)) return 'hidden'
  const above = sensitivities.indexOf(sensitivity) - sensitivities.indexOf(ceiling)
  if (above <= 0) return 'in full'
  return above === 1 ? 'redacted' : 'hidden'
}

/** The scopes of a key in words. @param {Pick<Reach, 'scopes'>} reach */
export function describeScopes({ scopes }) {
  return scopes.length === 0 ? 'all scopes' : scopes.join(', ')
}
