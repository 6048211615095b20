import { createLagHistory } from './lag.ts'
import { createProbe, type Probed } from './probe.ts'
import type { Judge } from './replica.ts'

const pageBytes = 8_192n

/** The primary as it was seen last, and the judgement of replicas beside it. */
export function createPrimary(url: string, applicationName: string, maxLagMs: number) {
  const probe = createProbe(url, 'primary', applicationName)
  const history = createLagHistory()
  let seen: { last: Probed; at: number } | undefined

  /** While the primary is away the last look at it counts: it can have written nothing that clients know of. */
  async function look(): Promise<void> {
    const last = await probe.ask().catch(() => undefined)
    if (!last) return
    const at = performance.now()
    const isSame = seen?.last.cluster === last.cluster && seen.last.timeline === last.timeline
    if (!isSame) history.clear()
    seen = { last, at }
    // The end of a page may be in the middle of a record, which no replica can have replayed.
    if (last.lsn % pageBytes !== 0n) history.add(last.lsn, at)
  }

  const judge: Judge = (probed) => {
    if (!probed.isStandby) return { absence: 'is not a standby', lagMs: 0 }
    if (!seen) return { absence: 'has not been looked at', lagMs: 0 }
    const { last, at } = seen
    if (probed.cluster !== last.cluster || probed.database !== last.database)
      return { absence: 'is of another database', lagMs: 0 }
    if (probed.timeline !== last.timeline) return { absence: 'follows another timeline', lagMs: 0 }
    const lagMs = history.lagOf(probed.lsn, at)
    return lagMs > maxLagMs ? { absence: 'is too far behind', lagMs } : { lagMs }
  }

  return { look, judge, getTimeline: () => seen?.last.timeline, close: probe.close }
}
