import { maskSecrets, maskText } from '../domain/masking.ts'
import { clip } from '../domain/outline.ts'
import type { Payload } from '../domain/payloads.ts'
import { searchableText } from '../domain/searchable-text.ts'

/** What a chat model is shown of records. */

/** `payload` is null where it is too long to be told. */
export type PromptRecord = { id: string; created_at: Date; payload: Payload | null }

export type PromptLine = { on: string; says: string }

/** Characters. */
const maxLineLength = 1_000

/** The first that fit, in the order given, and what is said of each. */
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

/** Masked while it is still known what is a key and what its value. */
export function formatRecord({ payload, created_at: at }: PromptRecord): PromptLine | undefined {
  if (payload === null) return undefined
  // A mask takes the place of a value, whatever it was; the words are drawn from values of any kind.
  const masked = maskSecrets(payload) as Payload
  const says = clip(maskText(searchableText(masked, []).replace(/\s+/g, ' ').trim()), maxLineLength)
  return says === '' ? undefined : { on: at.toISOString().slice(0, 10), says }
}

/** Undefined where it is no text that can be kept; PostgreSQL refuses NUL characters and halves of characters. */
export function readText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) return undefined
  const text = value.trim()
  return text === '' || text.length > maxLength ? undefined : text
}

/** A member of what a model answered, which may be anything. */
export function getMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}
