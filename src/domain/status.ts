import type { Status } from './vocabulary.ts'

/**
 * Where each status leads. Merged and superseded are entered by revision and merging alone, and left only by
 * reverting that operation.
 */
const transitions: Record<Status, readonly Status[]> = {
  active: ['challenged', 'invalidated', 'superseded', 'merged'],
  challenged: ['active', 'invalidated', 'superseded', 'merged'],
  invalidated: ['active'],
  merged: [],
  superseded: [],
}

export function mayBecome(from: Status, to: Status): boolean {
  return transitions[from].includes(to)
}

/** What a status call may do: no call of its own could undo a move to merged or superseded. */
export function mayBeSet(from: Status, to: Status): boolean {
  return mayBecome(from, to) && to !== 'merged' && to !== 'superseded'
}

/** Who takes an operation back leads what it put aside to where it was. */
export function mayRevertTo(from: Status, to: Status): boolean {
  return to === 'active' && (from === 'merged' || from === 'superseded')
}
