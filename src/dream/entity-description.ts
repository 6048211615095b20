import type { Payload } from '../domain/payloads/payloads.ts'
import { maskText } from '../domain/secrets/masking.ts'
import { clip } from '../domain/secrets/outline.ts'

/** The description of an entity that a chat model is shown. */

const maxAliases = 20
const maxNameLength = 500
/** Only this many characters are searched for secrets, because a summary may be very long. */
const maxScannedLength = 4_096

type DescribedEntity = { payload: Extract<Payload, { kind: 'entity' }> }

export function describeEntity({ payload }: DescribedEntity) {
  const { canonical_name: name, primary_type: type, aliases, summary } = payload
  const others = aliases.slice(0, maxAliases).map(({ value }) => maskAndClip(value))
  return {
    name: maskAndClip(name),
    type: maskAndClip(type),
    also_called: others.length === 0 ? undefined : others,
    summary: summary === undefined ? undefined : maskAndClip(summary),
  }
}

function maskAndClip(text: string): string {
  return clip(maskText(clip(text, maxScannedLength)), maxNameLength)
}
