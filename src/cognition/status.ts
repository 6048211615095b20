import type { RecordStatus } from '../db/schema.ts'

/** Where each status leads. What was merged or superseded comes back only by reverting the operation that did it. */
const transitions: Record<RecordStatus, readonly RecordStatus[]> = {
  active: ['challenged', 'invalidated', 'superseded', 'merged'],
  challenged: ['active', 'invalidated', 'superseded', 'merged'],
  invalidated: ['active'],
  merged: [],
  superseded: [],
}

export function mayBecome(from: RecordStatus, to: RecordStatus): boolean {
  return transitions[from].includes(to)
}

/** Who takes an operation back leads what it put aside to where it was. */
export function mayRevertTo(from: RecordStatus, to: RecordStatus): boolean {
  return to === 'active' && (from === 'merged' || from === 'superseded')
}
