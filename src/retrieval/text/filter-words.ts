import { type Trust, unscoped } from '../../domain/trust/caller.ts'

/** Scopes and types are words of a text too, so that the index of words can tell which texts have them. */

type Filters = { trust: Trust; scopes?: readonly string[]; types?: readonly string[] }

/** Lists words of which an answer has at least one of each list. */
export function listFilterWords({ trust, scopes, types }: Filters): string[][] {
  return [
    ...(trust.scopes ? [[...trust.scopes, unscoped].map(writeScopeWord)] : []),
    ...(scopes ? [scopes.map(writeScopeWord)] : []),
    ...(types ? [types.map(writeTypeWord)] : []),
  ]
}

const writeScopeWord = (scope: string): string => `scope ${scope}`
export const writeTypeWord = (type: string): string => `type ${type}`
