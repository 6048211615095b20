import type { Finding, Reference } from './reference.ts'

type Counted = {
  claimant: { id: string }
  found: readonly { reference: Reference; finding: Finding }[]
}
type Item = { record_id: string; kind: Reference['kind']; reference: string; found?: boolean }

const mostItems = 500

/** What a check comes to, kept small however much there is: of each finding the first items only. */
export function createTally() {
  const items: Record<Finding, Item[]> = { missing: [], unknown: [], found: [] }
  const counts: Record<Finding, number> = { missing: 0, unknown: 0, found: 0 }
  let checked = 0

  function add({ claimant, found }: Counted): void {
    if (found.length > 0) checked++
    for (const { reference, finding } of found) {
      counts[finding]++
      if (items[finding].length === mostItems) continue
      items[finding].push({
        ...{ record_id: claimant.id, kind: reference.kind, reference: reference.reference },
        ...(finding === 'unknown' ? {} : { found: finding === 'found' }),
      })
    }
  }

  function report() {
    const known = counts.found + counts.missing
    return {
      ...{ checked, found: counts.found, missing: counts.missing, unknown: counts.unknown },
      score: known === 0 ? 100 : (100 * counts.found) / known,
      items: [...items.missing, ...items.unknown, ...items.found].slice(0, mostItems),
    }
  }

  return { add, report, checked: () => checked }
}
