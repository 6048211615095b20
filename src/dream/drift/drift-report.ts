import { type DriftItem, maxItems } from './drift.schemas.ts'
import type { Finding, Reference } from './references.ts'

type CountedRecord = {
  record: { id: string }
  found: readonly { reference: Reference; finding: Finding }[]
}

/** Collects the result of a check. It keeps only the first items of each finding, so its size is bounded. */
export function createDriftReport() {
  const items: Record<Finding, DriftItem[]> = { missing: [], unknown: [], found: [] }
  const counts: Record<Finding, number> = { missing: 0, unknown: 0, found: 0 }
  let checked = 0

  function add({ record, found }: CountedRecord): void {
    if (found.length > 0) checked++
    for (const { reference, finding } of found) {
      counts[finding]++
      if (items[finding].length === maxItems) continue
      items[finding].push({
        record_id: record.id,
        kind: reference.kind,
        reference: reference.reference,
        ...(finding === 'unknown' ? {} : { found: finding === 'found' }),
      })
    }
  }

  function report() {
    const known = counts.found + counts.missing
    return {
      checked,
      found: counts.found,
      missing: counts.missing,
      unknown: counts.unknown,
      score: known === 0 ? 100 : (100 * counts.found) / known,
      items: [...items.missing, ...items.unknown, ...items.found].slice(0, maxItems),
    }
  }

  return { add, report, checked: () => checked }
}
