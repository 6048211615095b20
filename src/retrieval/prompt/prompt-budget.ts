import type { PromptContext } from './prompt-context.schemas.ts'
import { type Entry, getFactKey, getRepetitionKey } from './prompt-entries.ts'
import { getGroupKey, type Layout } from './prompt-layout.ts'

/** Chooses what fits into a prompt. */

export type Omitted = PromptContext['omitted'][number]
type Choice = { chosen: Entry[]; omitted: Omitted[] }

/**
 * Takes units in their order, the most relevant first, as long as they fit. The entries of a unit are taken together or
 * not at all. A unit that is too large is passed over, and a smaller one after it may still fit.
 */
export function fillBudget(units: readonly (readonly Entry[])[], layout: Layout, budget: number): Choice {
  const usedKeys = new Set<string>()
  const writtenHeadings = new Set<string>()
  const chosen: Entry[] = []
  const omitted: Omitted[] = []
  let left = budget - layout.frameWeight
  for (const unit of units) {
    const fresh = unit.filter((entry) => isFirst(entry, usedKeys, unit))
    const newHeadings = new Map(
      fresh.flatMap((entry) => listHeadings(entry, layout)).filter(([key]) => !writtenHeadings.has(key)),
    )
    const weight = sum([...fresh.map(layout.weighEntry), ...newHeadings.values()])
    const isFitting = weight <= left
    for (const entry of unit) {
      if (!fresh.includes(entry)) omitted.push({ record_id: entry.id, reason: 'repetition' })
      else if (isFitting) chosen.push(entry)
      else omitted.push({ record_id: entry.id, reason: 'budget' })
    }
    if (!isFitting) continue
    left -= weight
    for (const key of newHeadings.keys()) writtenHeadings.add(key)
    for (const key of fresh.flatMap(listKeys)) usedKeys.add(key)
  }
  return { chosen, omitted }
}

function isFirst(entry: Entry, usedKeys: ReadonlySet<string>, unit: readonly Entry[]): boolean {
  const fact = getFactKey(entry)
  if (entry.part === 'happened' && fact !== undefined && usedKeys.has(fact)) return false
  const key = getRepetitionKey(entry)
  if (key === undefined) return true
  return !usedKeys.has(key) && unit.find((other) => getRepetitionKey(other) === key) === entry
}

function listKeys(entry: Entry): string[] {
  const fact = entry.part === 'known' ? getFactKey(entry) : undefined
  return [getRepetitionKey(entry), fact].filter((key) => key !== undefined)
}

/** The headings that stand above an entry, with their weights. */
function listHeadings(entry: Entry, layout: Layout): [key: string, weight: number][] {
  const part: [string, number] = [`part ${entry.part}`, layout.weighPart(entry.part)]
  if (!entry.conversation) return [part]
  return [part, [`group ${getGroupKey(entry)}`, layout.weighGroup(entry)]]
}

function sum(weights: readonly number[]): number {
  return weights.reduce((total, weight) => total + weight, 0)
}
