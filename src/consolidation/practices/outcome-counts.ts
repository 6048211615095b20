import { createHash } from 'node:crypto'
import type { Sensitivity } from '../../domain/caller.ts'
import type { Episode } from '../stages.ts'
import type { OutcomeCounts, Pattern } from './practice-kind.ts'

/** What an episode counts towards and as what, so that it counts once. */

export type PracticeKey = { digest: Buffer; scope: string; sensitivity: Sensitivity; handle: Buffer }

/** As it was counted before. */
export type CountedEpisode = { episode: string; outcome: string; digest: Buffer; scope: string }

export type CountChange = {
  episode: Episode
  pattern: Pattern
  key: PracticeKey
  from: string | undefined
  to: string
}

/**
 * None where it was counted as that already. One whose scope or sensitivity has changed since stays as it was
 * counted: what it taught has been read there, and what becomes of it now is not for the same readers.
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

/** Sensitivity is part of it: what all may read is not to tell of what they may not. */
function createKey({ handle: { digest } }: Pattern, scope: string, sensitivity: Sensitivity): PracticeKey {
  const keyDigest = createHash('sha256').update(sensitivity).update(digest).digest().subarray(0, 16)
  return { digest: keyDigest, scope, sensitivity, handle: digest }
}

export type PracticeGroup = { key: PracticeKey; pattern: Pattern; countChanges: CountChange[] }

/**
 * In the order of the episodes, so that the same ones always come to the same; but corrections first, or a success
 * that was taken back would help to found what it no longer speaks for.
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
  const less = (outcome: string) => Number(from === outcome)
  const more = (outcome: string) => Number(to === outcome)
  const at = from === undefined ? getEventTime(episode) : null
  return {
    successes: Math.max(0, counts.successes - less('success') + more('success')),
    failures: Math.max(0, counts.failures - less('failure') + more('failure')),
    lastAt: at !== null && (counts.lastAt === null || at > counts.lastAt) ? at : counts.lastAt,
  }
}

/** When it happened; what claims to have happened later was captured then at the latest. */
export function getEventTime({ created_at: createdAt, payload: { timeline } }: Episode): string {
  const times = timeline.map(({ t }) => Date.parse(t)).filter((time) => time <= createdAt.getTime())
  return new Date(
    times.reduce((one, other) => Math.max(one, other), times[0] ?? createdAt.getTime()),
  ).toISOString()
}
