import type { Payload } from '../../domain/payloads.ts'
import { extractPaths, resolvePath } from './path-references.ts'
import type { Reference } from './reference.ts'
import { extractScripts } from './script-references.ts'

/** More of either is not looked at: a listing is a listing, not a belief about each of its files. */
export const maxReferences = 50
const maxCharacters = 1_048_576

/** Says what things are called, were called or came from, not where they are. */
const ignoredFields = new Set([
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
    if (found.size < maxReferences && !found.has(key)) found.set(key, reference)
  }
  for (const text of listFilePaths(payload)) {
    const target = resolvePath(text, roots)
    if (target) add({ kind: 'path', reference: text, ...target })
  }
  let left = maxCharacters
  for (const text of listTexts(payload)) {
    left -= text.length
    if (left < 0 || found.size === maxReferences) break
    for (const reference of extractPaths(text, roots)) add(reference)
    for (const reference of extractScripts(text, roots)) add(reference)
  }
  return [...found.values()]
}

/** A bare name says what a file is called, not that it lies at the top: only as its path does it. */
function listFilePaths(payload: Payload): string[] {
  if (payload.kind !== 'entity' || payload.primary_type !== 'File') return []
  const { canonical_name: name, identifiers } = payload
  const paths = identifiers.filter(({ namespace }) => namespace === 'path').map(({ value }) => value)
  return /^\S*\/\S*$/.test(name) ? [name, ...paths] : paths
}

/** The values alone, in their order. Without recursion: a payload may be nested deeper than the stack is. */
function* listTexts(payload: Payload): Generator<string> {
  const top = Object.entries(payload).filter(([name]) => !ignoredFields.has(name))
  const left: unknown[] = listValues(top).reverse()
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string') yield value
    else if (Array.isArray(value)) for (let n = value.length - 1; n >= 0; n--) left.push(value[n])
    else if (value !== null && typeof value === 'object') {
      for (const inner of listValues(Object.entries(value)).reverse()) left.push(inner)
    }
  }
}

/** What fits a schema is not there for that. */
function listValues(entries: readonly [string, unknown][]): unknown[] {
  return entries.filter(([name]) => !name.endsWith('_schema')).map(([, value]) => value)
}
