import { createHash } from 'node:crypto'
import type { Sensitivity } from '../../domain/trust/caller.ts'
import { type Episode, getEventTime } from '../episode.ts'
import type { OutcomeCounts, Pattern } from './practice-kind.ts'

/** Counts each episode once, for one practice and one outcome. */

export type PracticeKey = { digest: Buffer; scope: string; sensitivity: Sensitivity; handle: Buffer }

/** How the episode was counted before. */
export type CountedEpisode = { episode: string; outcome: string; digest: Buffer; scope: string }

export type CountChange = {
  episode: Episode
  pattern: Pattern
  key: PracticeKey
  from: string | undefined
  to: string
}

/**
 * Returns undefined if the episode is already counted with this outcome. An episode whose scope or sensitivity has
 * changed since stays as it was counted, because the readers of the practice are not those of the episode any more.
 */
export function findCountChange(
  episode: Episode,
  pattern: Pattern,
  counted: CountedEpisode | undefined,
): CountChange | undefined {
  const to = episode.payload.outcome ?? 'none'
  if (counted?.outcome === to || (!counted && to !== 'success' && to !== 'failure')) return undefined
  const key = createKey(pattern, episode.scope, episode.sensitivity)
  const isElsewhere = counted && (counted.scope !== key.scope || !counted.digest.equals(key.digest))
  return isElsewhere ? undefined : { episode, pattern, key, from: counted?.outcome, to }
}

/**
 * The sensitivity is part of the key, so that a practice that every key may read does not count confidential
 * episodes.
 */
function createKey({ handle: { digest } }: Pattern, scope: string, sensitivity: Sensitivity): PracticeKey {
  const keyDigest = createHash('sha256').update(sensitivity).update(digest).digest().subarray(0, 16)
  return { digest: keyDigest, scope, sensitivity, handle: digest }
}

export type PracticeGroup = { key: PracticeKey; pattern: Pattern; countChanges: CountChange[] }

/**
 * Groups in the order of the episodes, so that the same episodes always give the same result. Corrections come first:
 * a success that was corrected must not help to create a practice.
 */
export function groupChanges(countChanges: readonly CountChange[]): PracticeGroup[] {
  const groups = new Map<string, PracticeGroup>()
  const isNew = ({ from }: CountChange) => from === undefined
  for (const change of [...countChanges.filter((each) => !isNew(each)), ...countChanges.filter(isNew)]) {
    const { key, pattern } = change
    const name = `${key.digest.toString('base64')} ${key.scope}`
    const group = groups.get(name) ?? { key, pattern, countChanges: [] }
    groups.set(name, group)
    group.countChanges.push(change)
  }
  return [...groups.values()]
}

export function applyChange(counts: OutcomeCounts, { episode, from, to }: CountChange): OutcomeCounts {
  const countRemoved = (outcome: string) => Number(from === outcome)
  const countAdded = (outcome: string) => Number(to === outcome)
  const at = from === undefined ? getEventTime(episode) : null
  return {
    successes: Math.max(0, counts.successes - countRemoved('success') + countAdded('success')),
    failures: Math.max(0, counts.failures - countRemoved('failure') + countAdded('failure')),
    lastAt: at !== null && (counts.lastAt === null || at > counts.lastAt) ? at : counts.lastAt,
  }
}
