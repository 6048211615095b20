import type { RecordStatus } from '../../db/schema.ts'
import { salienceAt } from '../../domain/curves.ts'
import { type LifecycleChange, type LifecycleState, reinforce } from '../../domain/reinforcement.ts'
import { count, type Group, type Move } from './outcome-counts.ts'
import type { Craft, Tally } from './practice-kind.ts'

/** A skill or a plan, and what it learns of having been used again. */

/** A record that is known by the same; `place` is that of the group that was asked about. */
export type Known = {
  place: number
  id: string
  status: RecordStatus
  pinned: boolean
  is_forgotten: boolean
  is_ours: boolean
}

export type Fate = { outcome: 'unknown' } | { outcome: 'left' } | { outcome: 'fed'; id: string }

/**
 * What somebody wrote by hand may only look alike, so it is fed where it replaced what was learnt. What was withdrawn
 * is not learnt anew; what was forgotten is, once it proves useful again.
 */
export function judge(known: readonly Known[]): Fate {
  const isLive = ({ status, is_forgotten }: Known) =>
    !is_forgotten && (status === 'active' || status === 'challenged')
  const ours = known.filter(({ is_ours }) => is_ours)
  const isReplaced = ours.some(({ status }) => status !== 'active' && status !== 'challenged')
  const standing = ours.find(isLive) ?? (isReplaced ? known.find(isLive) : undefined)
  if (standing) return standing.pinned ? { outcome: 'left' } : { outcome: 'fed', id: standing.id }
  return isReplaced ? { outcome: 'left' } : { outcome: 'unknown' }
}

/** Those that come before it is known, and those it then learns from; none while too few went well. */
export function findFounder({ moves }: Group, waiting: Tally, { leastSuccesses }: Craft) {
  let tally = waiting
  for (const [place, move] of moves.entries()) {
    tally = count(tally, move)
    if (move.to === 'success' && tally.successes >= leastSuccesses) {
      return {
        founder: move.episode,
        tally,
        founding: moves.slice(0, place + 1),
        later: moves.slice(place + 1),
      }
    }
  }
  return undefined
}

export type Practice = LifecycleState & { id: string; kept: unknown }

export type Learnt = {
  id: string
  life: LifecycleChange
  kept: object
  entries: readonly { action: 'reinforce' | 'revise'; episode: string; at: string; changes: object }[]
}

/** What was created by hand may have no gain at all, and would never prove useful. */
const leastGain = 0.1

/** Each new success reinforces once; a failure, or an outcome that was corrected, is only counted. */
export function learn(practice: Practice, moves: readonly Move[], craft: Craft, now: Date): Learnt {
  let life: LifecycleState = practice
  let tally = craft.readTally(practice.kept)
  let kept = craft.writeTally(tally)
  const entries = moves.map((move) => {
    const isNew = move.from === undefined && move.to === 'success'
    const [before, keptBefore] = [salienceAt(life, now), kept]
    tally = count(tally, move)
    kept = craft.writeTally(tally)
    if (isNew) {
      const gain = Math.max(life.reinforcement_gain, leastGain)
      life = { ...life, ...reinforce({ ...life, reinforcement_gain: gain }, now) }
    }
    const changes = {
      [`payload.${craft.member}`]: [keptBefore, kept],
      episode: [null, move.episode.id],
      ...(isNew ? { salience: [before, life.salience] } : {}),
    }
    return {
      ...{ action: isNew ? ('reinforce' as const) : ('revise' as const), episode: move.episode.id },
      ...{ at: move.episode.created_at.toISOString(), changes },
    }
  })
  return { id: practice.id, life: settled(life, now), kept, entries }
}

function settled(life: LifecycleState, now: Date): LifecycleChange {
  const { base_salience, anchored_at, last_reinforced_at, pinned, expires_at, prune_at } = life
  return {
    ...{ base_salience, anchored_at, last_reinforced_at, pinned, expires_at, prune_at },
    salience: salienceAt(life, now),
  }
}
