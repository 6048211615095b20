import { exitCodes } from './operator-error.ts'

type ProcessEnd = {
  code: number | null
  signal: string | null
  livedMs: number
  /** How often in a row it ended early before. */
  earlyEnds: number
}
type RestartDecision = { giveUpReason: string } | { restartAfterMs: number; earlyEnds: number }

const earlyMs = 10_000
const maxEarlyEnds = 3

/**
 * Decides whether to start a process again. One that has run for a while is restarted; one that repeatedly ends early
 * is not, because it would be restarted forever.
 */
export function decideRestart({ code, signal, livedMs, earlyEnds }: ProcessEnd): RestartDecision {
  if (code === exitCodes.refused)
    return { giveUpReason: 'it refuses to run with this configuration; its message is above' }
  if (livedMs >= earlyMs) return { restartAfterMs: 250, earlyEnds: 0 }
  const ends = earlyEnds + 1
  if (ends < maxEarlyEnds) return { restartAfterMs: 250 * 2 ** ends, earlyEnds: ends }
  const how = signal !== null ? `, lastly by ${signal}` : code !== null ? `, lastly with code ${code}` : ''
  return { giveUpReason: `it ended ${ends} times within ${earlyMs / 1_000} seconds of its start${how}` }
}
