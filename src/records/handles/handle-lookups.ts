import { compareTexts } from '../../kernel/text-order.ts'
import type { HandleLookup } from './handles.queries.ts'

/** Identifies a handle in its scope. */
export function formatLookupKey({ digest, scope }: Pick<HandleLookup, 'digest' | 'scope'>): string {
  return `${digest.toString('hex')} ${scope}`
}

const strength: Readonly<Record<HandleLookup['lock'], number>> = { never: 0, if_unused: 1, always: 2 }

/**
 * Lists each handle once, with the strongest lock that was requested, and always in the same order: writers of the
 * same names then wait for each other instead of deadlocking.
 */
export function mergeLookups(handles: readonly HandleLookup[]): HandleLookup[] {
  const byKey = new Map<string, HandleLookup>()
  for (const each of handles) {
    const key = formatLookupKey(each)
    const other = byKey.get(key)
    if (!other || strength[other.lock] < strength[each.lock]) byKey.set(key, each)
  }
  return [...byKey].sort(([one], [other]) => compareTexts(one, other)).map(([, each]) => each)
}
