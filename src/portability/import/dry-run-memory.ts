import type { ImportedCopy } from './drafting/imported-draft.ts'
import { type ComparedRecord, compareRecords, type LineOutcome } from './storing/record-differences.ts'

/** The size of one half of the memory: the records of about eight thousand lines. */
const maxCharacters = 4 * 1_024 ** 2

export type DryRunMemory = ReturnType<typeof createDryRunMemory>

/**
 * Keeps the newest records that a dry run has rolled back, as texts. Returns a function that compares a line with the record
 * of the same id, as the import would after it had stored that record.
 */
export function createDryRunMemory() {
  let newer = new Map<string, string>()
  let older: typeof newer = new Map()
  let size = 0

  /** When the newer half is full, it replaces the older one. */
  function keep(id: string, text: string): void {
    newer.set(id, text)
    size += id.length + text.length
    if (size < maxCharacters) return
    older = newer
    newer = new Map()
    size = 0
  }

  return function judge(copy: ImportedCopy, outcome: LineOutcome): LineOutcome {
    if (outcome !== 'created') return outcome
    const { id } = copy.draft.row
    const before = newer.get(id) ?? older.get(id)
    if (before !== undefined) return compareRecords(JSON.parse(before) as ComparedRecord, copy)
    keep(id, JSON.stringify(listCompared(copy)))
    return outcome
  }
}

/** The fingerprint is all that is compared of an item of another program. */
function listCompared({ draft: { row }, fingerprint }: ImportedCopy): object {
  if (fingerprint !== undefined) return { provenance: { sources: [{ hash: fingerprint }] } }
  const { type, scope, sensitivity, confidence, created_at, version } = row
  const { tags, payload, provenance, interpretation } = row
  return {
    type,
    scope,
    sensitivity,
    confidence,
    created_at,
    version,
    tags,
    payload,
    provenance,
    interpretation,
  }
}
