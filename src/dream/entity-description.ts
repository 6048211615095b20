import { maskText } from '../domain/masking.ts'
import { clip } from '../domain/outline.ts'
import type { Payload } from '../domain/payloads.ts'

/** What a chat model is shown of an entity itself. */

const mostAliases = 20
const longestName = 500
/** Characters that are looked at for secrets: a summary may be a book. */
const longestRead = 4_096

type Described = { payload: Extract<Payload, { kind: 'entity' }> }

export function describeEntity({ payload }: Described) {
  const { canonical_name: name, primary_type: type, aliases, summary } = payload
  const others = aliases.slice(0, mostAliases).map(({ value }) => cut(value))
  return {
    ...{ name: cut(name), type: cut(type) },
    ...(others.length === 0 ? {} : { also_called: others }),
    ...(summary === undefined ? {} : { summary: cut(summary) }),
  }
}

function cut(text: string): string {
  return clip(maskText(clip(text, longestRead)), longestName)
}
