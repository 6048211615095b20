import { exitCodes } from './operator-error.ts'

type End = {
  code: number | null
  signal: string | null
  livedMs: number
  /** How many times in a row it ended early before this. */
  earlyEnds: number
}
type Verdict = { doomed: string } | { restartAfterMs: number; earlyEnds: number }

const earlyMs = 10_000
const mostEarlyEnds = 3

/** A child that has been up is worth another try; one that never gets up would only be started for ever. */
export function judgeEnd({ code, signal, livedMs, earlyEnds }: End): Verdict {
  if (code === exitCodes.refused) return { doomed: 'it refuses to run like this, and has said why' }
  if (livedMs >= earlyMs) return { restartAfterMs: 250, earlyEnds: 0 }
  const ends = earlyEnds + 1
  if (ends < mostEarlyEnds) return { restartAfterMs: 250 * 2 ** ends, earlyEnds: ends }
  const how = signal !== null ? `, lastly by ${signal}` : code !== null ? `, lastly with code ${code}` : ''
  return { doomed: `it ended ${ends} times within ${earlyMs / 1_000} seconds of its start${how}` }
}
