import { maskText } from '../secrets/masking.ts'
import { clip, outline } from '../secrets/outline.ts'

/** What the summary of an event says if the caller gave none. */

const maxPartLength = 100
const maxScannedLength = 4_000

type Members = Readonly<Record<string, unknown>>

/** A fact is described by subject, predicate and object; a subject alone is the topic of the event. */
export function describeTopic({ subject, predicate, object }: Members): string | undefined {
  if (!isText(subject)) return undefined
  if (!isText(predicate) || object === undefined) return formatPart(subject)
  return [subject, predicate, outline(object, maxPartLength)].map(formatPart).join(' ')
}

/** The end of such a summary, before its full stop. */
export function describeOutcome(outcome: string): string {
  return `, outcome ${outcome}`
}

export function formatPart(text: string): string {
  return clip(maskText(text.slice(0, maxScannedLength)).replace(/\s+/g, ' ').trim(), maxPartLength)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
