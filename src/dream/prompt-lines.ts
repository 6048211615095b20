import type { Payload } from '../domain/payloads/payloads.ts'
import { writeSearchableText } from '../domain/payloads/searchable-text.ts'
import { describeValidity } from '../domain/payloads/validity.ts'
import { maskSecrets, maskText } from '../domain/secrets/masking.ts'
import { clip, outline } from '../domain/secrets/outline.ts'

/** Formats records for a chat model, and reads its answers. */

/** `payload` is null if it is too long to be shown. */
export type PromptRecord = { id: string; created_at: Date; payload: Payload | null }

type PromptLine = { on: string; says: string }

/** In characters. */
const maxLineLength = 1_000
const maxLimitsLength = 300

/** Returns the first records that fit, in order, with one line for each. */
export function formatRecords<T extends PromptRecord>(records: readonly T[], maxLength: number) {
  const [shownRecords, lines]: [T[], PromptLine[]] = [[], []]
  let remaining = maxLength
  for (const record of records) {
    const line = formatRecord(record)
    if (!line) continue
    remaining -= JSON.stringify(line).length
    if (remaining < 0) break
    shownRecords.push(record)
    lines.push(line)
  }
  return { shownRecords, lines }
}

/** Masks before the words are extracted, while keys and values are still known. */
export function formatRecord({ payload, created_at: at }: PromptRecord): PromptLine | undefined {
  if (payload === null) return undefined
  // A mask replaces a value of any kind, and words are extracted from values of any kind.
  const masked = maskSecrets(payload) as Payload
  const says = clip(maskText(writeSearchableText(masked, []).replace(/\s+/g, ' ').trim()), maxLineLength)
  return says === '' ? undefined : { on: formatDay(at), says: says + describeLimits(masked) }
}

export function formatDay(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}

/** Without it, what a model writes would say for always what held for a time or under conditions. */
function describeLimits(payload: Payload): string {
  if (payload.kind !== 'semantic') return ''
  const limits = describeValidity(payload.validity, (conditions) => outline(conditions, maxLimitsLength))
  return limits === '' ? '' : clip(maskText(`, valid ${limits}`), maxLimitsLength)
}

/**
 * Returns undefined if the value is not text that can be stored. PostgreSQL refuses NUL characters and unpaired
 * surrogates.
 */
export function readText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) return undefined
  const text = value.trim()
  return text === '' || text.length > maxLength ? undefined : text
}

/** Returns a member of the model's answer, which may be any value. */
export function getMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}
