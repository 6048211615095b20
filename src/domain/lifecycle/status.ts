import type { Status } from '../schemas/vocabulary.ts'

/**
 * Which statuses each status can change to. Only a revision or a merge makes a record superseded or merged, and only
 * reverting that operation leads back.
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

/** Whether a status request may do this. It cannot set merged or superseded, because no request could undo that. */
export function mayBeSet(from: Status, to: Status): boolean {
  return mayBecome(from, to) && to !== 'merged' && to !== 'superseded'
}

/** Whether a revert or an undo can lead from one status to another: it restores the status before an operation. */
export function mayBeRestored(from: Status, to: Status): boolean {
  return mayBecome(to, from)
}

/** Reverting a revision or a merge makes the record active again. */
export function mayRevertTo(from: Status, to: Status): boolean {
  return to === 'active' && (from === 'merged' || from === 'superseded')
}
