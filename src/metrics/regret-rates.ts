import type { RegretGroup } from '../regrets/index.ts'

export type Rates = Readonly<Record<string, number>>
export type RegretRates = { rate: number; by_reason: Rates; by_type: Rates; by_age: Rates }

/** The share of the forgotten records that were regretted; 0 where nothing was forgotten. */
export function computeRegretRates(groups: readonly RegretGroup[]): RegretRates {
  return {
    rate: computeRate(groups),
    by_reason: groupRates(groups, ({ reason }) => reason),
    by_type: groupRates(groups, ({ type }) => type),
    by_age: groupRates(groups, ({ age }) => age),
  }
}

function groupRates(groups: readonly RegretGroup[], nameOf: (group: RegretGroup) => string): Rates {
  const named = Map.groupBy(groups, nameOf)
  return Object.fromEntries(Array.from(named, ([name, members]) => [name, computeRate(members)]))
}

function computeRate(groups: readonly RegretGroup[]): number {
  const sum = (read: (group: RegretGroup) => number) =>
    groups.reduce((total, group) => total + read(group), 0)
  const forgotten = sum((group) => group.forgotten)
  return forgotten === 0 ? 0 : sum((group) => group.regretted) / forgotten
}
