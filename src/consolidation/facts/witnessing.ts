import { salienceAt } from '../../decay/curves.ts'
import { type Life, type LifeChange, reinforce } from '../../decay/operations.ts'
import type { Witness } from './gathering.ts'

/** A fact that was observed again. */

/** A fact observed a thousand times names as many of its witnesses; its edges name all of them. */
export const mostNamed = 100

/** What was created by hand may have no gain at all, and would never prove useful. */
const leastGain = 0.1

export type Reinforced = Omit<LifeChange, 'pinned'> & {
  id: string
  times: number
  evidence: readonly object[]
  sources: readonly object[]
  /** Of the log, one for each witness: field to [before, after]. */
  entries: readonly { salience: [number, number]; evidence: [null, string] }[]
}

/** Once for each new witness, up to the cap. */
export function reinforceBy(
  fact: Life & { id: string },
  witnesses: readonly Witness[],
  now: Date,
): Reinforced {
  const { pinned: _, ...life } = witnesses.reduce((life, _) => reinforceOnce(life, now), fact)
  return {
    id: fact.id,
    base_salience: life.base_salience,
    anchored_at: life.anchored_at,
    last_reinforced_at: life.last_reinforced_at,
    salience: life.salience,
    expires_at: life.expires_at,
    prune_at: life.prune_at,
    times: witnesses.length,
    evidence: witnesses.slice(0, mostNamed).map(evidenceOf),
    sources: witnesses.slice(0, mostNamed).map(sourceOf),
    entries: entriesOf(fact, witnesses, now),
  }
}

function reinforceOnce<L extends Life>(life: L, now: Date): L {
  return { ...life, ...reinforce({ ...life, reinforcement_gain: gainOf(life) }, now) }
}

function gainOf({ reinforcement_gain: gain }: Life): number {
  return Math.max(gain, leastGain)
}

function entriesOf(fact: Life, witnesses: readonly Witness[], now: Date): Reinforced['entries'] {
  let life = fact
  return witnesses.map(({ episode }) => {
    const before = salienceAt(life, now)
    life = reinforceOnce(life, now)
    return { salience: [before, life.salience], evidence: [null, episode.id] }
  })
}

export function evidenceOf({ episode, at }: Witness) {
  return { source_type: 'event' as const, source_id: episode.id, timestamp: at }
}

export function sourceOf({ episode, at }: Witness) {
  return { kind: 'event' as const, ref: episode.id, timestamp: at }
}
