import { unscoped } from '../../domain/trust/caller.ts'
import type { Searched } from './memory/record-groups.ts'

/** Scopes and types are words of a text too, so that the index of words can tell which texts have them. */

/** Lists words of which an answer has at least one of each list. */
export function listFilterWords({ trust, scopes, types }: Searched): string[][] {
  return [
    ...(trust.scopes ? [[...trust.scopes, unscoped].map(writeScopeWord)] : []),
    ...(scopes ? [scopes.map(writeScopeWord)] : []),
    ...(types ? [types.map(writeTypeWord)] : []),
  ]
}

const writeScopeWord = (scope: string): string => `scope ${scope}`
export const writeTypeWord = (type: string): string => `type ${type}`
