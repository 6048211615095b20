import type { Payload } from '../../domain/payloads/payloads.ts'
import { extractPaths, resolvePath } from './path-references.ts'
import type { Reference } from './references.ts'
import { extractScripts } from './script-references.ts'

/** Further references and text are ignored: a long listing is not a statement about each of its files. */
export const maxReferences = 50
const maxCharacters = 1_048_576

/** Fields with names and sources, which do not say where a file is. */
const ignoredFields = new Set([
  'kind',
  'identifiers',
  'aliases',
  'canonical_name',
  'evidence',
  'revision',
  'performance',
  'metrics',
  'plan_id',
  'edges',
])

/**
 * Returns the files that a record names, for the types that hold lasting knowledge. `roots` are those of the record's
 * scope.
 */
export function findReferences(payload: Payload, roots: readonly string[]): Reference[] {
  if (payload.kind === 'episodic' || payload.kind === 'working' || roots.length === 0) return []
  const found = new Map<string, Reference>()
  const add = (reference: Reference) => {
    const key = JSON.stringify([reference.kind, reference.path, reference.names, reference.roots])
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

/** A bare file name does not say where the file is; a `path` identifier does. */
function listFilePaths(payload: Payload): string[] {
  if (payload.kind !== 'entity' || payload.primary_type !== 'File') return []
  const { canonical_name: name, identifiers } = payload
  const paths = identifiers.filter(({ namespace }) => namespace === 'path').map(({ value }) => value)
  return name.includes('/') && !/\s/.test(name) ? [name, ...paths] : paths
}

/** Yields the text values in order, without recursion: a payload may be nested deeper than the stack allows. */
function* listTexts(payload: Payload): Generator<string> {
  const top = Object.entries(payload).filter(([name]) => !ignoredFields.has(name))
  const left: unknown[] = listValues(top).reverse()
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value === 'string') yield value
    else if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at--) left.push(value[at])
    else if (value !== null && typeof value === 'object') {
      for (const inner of listValues(Object.entries(value)).reverse()) left.push(inner)
    }
  }
}

/** A schema describes values that need not exist. */
function listValues(entries: readonly [string, unknown][]): unknown[] {
  return entries.filter(([name]) => !name.endsWith('_schema')).map(([, value]) => value)
}
