import type { Payload } from '../../domain/payloads.ts'
import { claimedPaths, placeOf } from './path-references.ts'
import type { Reference } from './reference.ts'
import { claimedScripts } from './script-references.ts'

/** More of either is not looked at: a listing is a listing, not a belief about each of its files. */
export const mostReferences = 50
const mostCharacters = 1_048_576

/** Says what things are called, were called or came from, not where they are. */
const unspoken = new Set([
  ...['kind', 'identifiers', 'aliases', 'canonical_name', 'evidence', 'revision', 'performance', 'metrics'],
  ...['plan_id', 'edges'],
])

/** Of the types that say something lasting; the roots are those that speak for the record. */
export function findReferences(payload: Payload, roots: readonly string[]): Reference[] {
  if (payload.kind === 'episodic' || payload.kind === 'working' || roots.length === 0) return []
  const found = new Map<string, Reference>()
  const add = (reference: Reference) => {
    const { kind, path, names, roots: beneath } = reference
    const key = JSON.stringify([kind, path, names, beneath])
    if (found.size < mostReferences && !found.has(key)) found.set(key, reference)
  }
  for (const text of namesOfFile(payload)) {
    const place = placeOf(text, roots)
    if (place) add({ kind: 'path', reference: text, ...place })
  }
  let left = mostCharacters
  for (const text of textsOf(payload)) {
    left -= text.length
    if (left < 0 || found.size === mostReferences) break
    for (const claimed of claimedPaths(text, roots)) add(claimed)
    for (const claimed of claimedScripts(text, roots)) add(claimed)
  }
  return [...found.values()]
}

/** A bare name says what a file is called, not that it lies at the top: only as its path does it. */
function namesOfFile(payload: Payload): string[] {
  if (payload.kind !== 'entity' || payload.primary_type !== 'File') return []
  const { canonical_name: name, identifiers } = payload
  const paths = identifiers.filter(({ namespace }) => namespace === 'path').map(({ value }) => value)
  return /^\S*\/\S*$/.test(name) ? [name, ...paths] : paths
}

/** The values alone, in their order. Without recursion: a payload may be nested deeper than the stack is. */
function* textsOf(payload: Payload): Generator<string> {
  const top = Object.entries(payload).filter(([name]) => !unspoken.has(name))
  const left: unknown[] = valuesOf(top).reverse()
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string') yield value
    else if (Array.isArray(value)) for (let n = value.length - 1; n >= 0; n--) left.push(value[n])
    else if (value !== null && typeof value === 'object') {
      for (const inner of valuesOf(Object.entries(value)).reverse()) left.push(inner)
    }
  }
}

/** What fits a schema is not there for that. */
function valuesOf(entries: readonly [string, unknown][]): unknown[] {
  return entries.filter(([name]) => !name.endsWith('_schema')).map(([, value]) => value)
}
