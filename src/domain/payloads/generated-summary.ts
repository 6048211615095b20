import { maskText } from '../secrets/masking.ts'
import { clip, outline } from '../secrets/outline.ts'
import { endsSentence } from '../words/sentence-end.ts'

/**
 * The sentence that the service writes for an event without a summary, and recognises later:
 * "Observation with psql: billing is owned by team red, outcome success."
 */

const maxPartLength = 100
const maxScannedLength = 4_000

type Members = Readonly<Record<string, unknown>>
type Parts = { kind: string; tools: string; topic: string | undefined; outcome: string | undefined }

/** `tools` is empty without a tool. */
export function writeSummary({ kind, tools, topic, outcome }: Parts): string {
  const sentence = [
    `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`,
    tools === '' ? '' : ` with ${tools}`,
    topic === undefined ? '' : `: ${topic}`,
    outcome === undefined ? '' : `, outcome ${outcome}`,
  ].join('')
  return endsSentence(sentence) ? sentence : `${sentence}.`
}

/** A fact is described by subject, predicate and object; a subject alone is the topic of the event. */
export function describeTopic({ subject, predicate, object }: Members): string | undefined {
  if (!isText(subject)) return undefined
  if (!isText(predicate) || object === undefined) return formatPart(subject)
  return [subject, predicate, outline(object, maxPartLength)].map(formatPart).join(' ')
}

export function formatPart(text: string): string {
  return clip(maskText(text.slice(0, maxScannedLength)).replace(/\s+/g, ' ').trim(), maxPartLength)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

/** Whether a summary says this fact and nothing else. */
export function saysOnlyFact(summary: string, fact: Members): boolean {
  const said = `: ${describeTopic(fact)}`
  const at = summary.indexOf(said)
  return at > 0 && /^(?:, outcome .{1,100})?[.…!?]?$/.test(summary.slice(at + said.length))
}

/** Whether a summary names the kind, the tools and the success, but not what was done. */
export function saysOnlySuccess(summary: string): boolean {
  return /^[^:]{1,500}, outcome success\.$/.test(summary)
}

export function endsWithOutcome(summary: string, outcome: string): boolean {
  return summary.endsWith(`, outcome ${outcome}.`)
}
