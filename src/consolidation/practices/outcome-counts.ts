import { createHash } from 'node:crypto'
import type { Sensitivity } from '../../domain/caller.ts'
import type { Episode } from '../stages.ts'
import type { Form, Tally } from './practice-kind.ts'

/** What an episode counts towards and as what, so that it counts once. */

export type Key = { digest: Buffer; scope: string; sensitivity: Sensitivity; handle: Buffer }

/** As it was counted before. */
export type Counted = { episode: string; outcome: string; digest: Buffer; scope: string }

export type Move = { episode: Episode; form: Form; key: Key; from: string | undefined; to: string }

/**
 * None where it was counted as that already. One whose scope or sensitivity has changed since stays as it was
 * counted: what it taught has been read there, and what becomes of it now is not for the same readers.
 */
export function moveOf(episode: Episode, form: Form, counted: Counted | undefined): Move | undefined {
  const to = episode.payload.outcome ?? 'none'
  if (counted?.outcome === to || (!counted && to !== 'success' && to !== 'failure')) return undefined
  const key = keyOf(form, episode.scope, episode.sensitivity)
  const isElsewhere = counted && (counted.scope !== key.scope || !counted.digest.equals(key.digest))
  return isElsewhere ? undefined : { episode, form, key, from: counted?.outcome, to }
}

/** Sensitivity is part of it: what all may read is not to tell of what they may not. */
function keyOf({ handle: { digest } }: Form, scope: string, sensitivity: Sensitivity): Key {
  const told = createHash('sha256').update(sensitivity).update(digest).digest().subarray(0, 16)
  return { digest: told, scope, sensitivity, handle: digest }
}

export type Group = { key: Key; form: Form; moves: Move[] }

/**
 * In the order of the episodes, so that the same ones always come to the same; but corrections first, or a success
 * that was taken back would help to found what it no longer speaks for.
 */
export function groupMoves(moves: readonly Move[]): Group[] {
  const groups = new Map<string, Group>()
  const isNew = ({ from }: Move) => from === undefined
  for (const move of [...moves.filter((each) => !isNew(each)), ...moves.filter(isNew)]) {
    const { key, form } = move
    const name = `${key.digest.toString('base64')} ${key.scope}`
    const group = groups.get(name) ?? { key, form, moves: [] }
    groups.set(name, group)
    group.moves.push(move)
  }
  return [...groups.values()]
}

export function count(tally: Tally, { episode, from, to }: Move): Tally {
  const less = (outcome: string) => Number(from === outcome)
  const more = (outcome: string) => Number(to === outcome)
  const at = from === undefined ? timeOf(episode) : null
  return {
    successes: Math.max(0, tally.successes - less('success') + more('success')),
    failures: Math.max(0, tally.failures - less('failure') + more('failure')),
    lastAt: at !== null && (tally.lastAt === null || at > tally.lastAt) ? at : tally.lastAt,
  }
}

/** When it happened; what claims to have happened later was captured then at the latest. */
export function timeOf({ created_at: born, payload: { timeline } }: Episode): string {
  const times = timeline.map(({ t }) => Date.parse(t)).filter((time) => time <= born.getTime())
  return new Date(
    times.reduce((one, other) => Math.max(one, other), times[0] ?? born.getTime()),
  ).toISOString()
}
