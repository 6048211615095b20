import { exitCodes } from '../operator-error.ts'

type ProcessEnd = {
  code: number | null
  signal: string | null
  /** How long it did its work. 0 if it ended before it was ready, however long it took to start. */
  servedMs: number
  /** How often in a row it ended early before. */
  earlyEnds: number
  /** Whether it is started again however often it ends: others do its work meanwhile. */
  isNeeded?: boolean
}
type RestartDecision = { giveUpReason: string } | { restartAfterMs: number; earlyEnds: number }

const earlyMs = 10_000
const maxEarlyEnds = 3
const longestPauseMs = 10_000

/**
 * Decides whether to start a process again. One that has done its work for a while is restarted; one that repeatedly ends
 * early is not, because it would be restarted forever.
 */
export function decideRestart({
  code,
  signal,
  servedMs,
  earlyEnds,
  isNeeded = false,
}: ProcessEnd): RestartDecision {
  if (code === exitCodes.refused)
    return { giveUpReason: 'it refuses to run with this configuration; its message is above' }
  if (servedMs >= earlyMs) return { restartAfterMs: 250, earlyEnds: 0 }
  const ends = earlyEnds + 1
  const restartAfterMs = Math.min(longestPauseMs, 250 * 2 ** ends)
  if (isNeeded || ends < maxEarlyEnds) return { restartAfterMs, earlyEnds: ends }
  const often = `it ended ${ends} times within ${earlyMs / 1_000} seconds after it was ready, or before`
  return { giveUpReason: `${often}${describeLastEnd(code, signal)}` }
}

function describeLastEnd(code: number | null, signal: string | null): string {
  if (signal !== null) return `, lastly by ${signal}`
  return code === null ? '' : `, lastly with code ${code}`
}
