import { exitCodes } from './operator-error.ts'

type ProcessEnd = {
  code: number | null
  signal: string | null
  livedMs: number
  /** How many times in a row it ended early before this. */
  earlyEnds: number
}
type RestartDecision = { giveUpReason: string } | { restartAfterMs: number; earlyEnds: number }

const earlyMs = 10_000
const maxEarlyEnds = 3

/** A child that has been up is worth another try; one that never gets up would only be started for ever. */
export function decideRestart({ code, signal, livedMs, earlyEnds }: ProcessEnd): RestartDecision {
  if (code === exitCodes.refused) return { giveUpReason: 'it refuses to run like this, and has said why' }
  if (livedMs >= earlyMs) return { restartAfterMs: 250, earlyEnds: 0 }
  const ends = earlyEnds + 1
  if (ends < maxEarlyEnds) return { restartAfterMs: 250 * 2 ** ends, earlyEnds: ends }
  const how = signal !== null ? `, lastly by ${signal}` : code !== null ? `, lastly with code ${code}` : ''
  return { giveUpReason: `it ended ${ends} times within ${earlyMs / 1_000} seconds of its start${how}` }
}
