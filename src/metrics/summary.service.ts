import type { Database } from '../db/connection.ts'
import type { CallContext } from '../db/transaction.ts'
import type { Trust } from '../domain/trust/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { addMilliseconds, dayMs, subtractMilliseconds } from '../kernel/units.ts'
import { measureRegret } from '../regrets/index.ts'
import type { StoreMetrics } from './metrics.schemas.ts'
import { countCreated, countFading, countRecords, drawSample } from './summary.queries.ts'
import { daysAhead, daysBehind, describeFigures } from './summary-figures.ts'

type Resources = { db: Database; clock: Clock; sampleSize?: number; freshMs?: number }

export type SummaryService = ReturnType<typeof createSummaryService>

/** The records are counted at most this often, however many clients ask. */
const defaultCacheMs = 5_000
/** Results are cached for at most this many different trusts. */
const maxRemembered = 100

/**
 * Large enough that a share of one half is off by at most 0.01, and small enough that reading their logs and payloads
 * takes no longer than counting a million records.
 */
const defaultSampleSize = 20_000

export function createSummaryService(resources: Resources) {
  const { db, clock, sampleSize = defaultSampleSize, freshMs = defaultCacheMs } = resources
  const remembered = new Map<string, { at: number; figures: Promise<StoreMetrics> }>()

  /** Callers with the same trust share one result. */
  function read({ caller: { trust } }: CallContext): Promise<StoreMetrics> {
    const name = JSON.stringify([trust.maxSensitivity, trust.scopes && [...trust.scopes].sort()])
    const known = remembered.get(name)
    const now = performance.now()
    if (known && now - known.at < freshMs) return known.figures
    const figures = compute(trust)
    remembered.delete(name)
    remembered.set(name, { at: now, figures })
    figures.catch(() => remembered.delete(name))
    const [oldest] = remembered.keys()
    if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest)
    return figures
  }

  async function compute(trust: Trust): Promise<StoreMetrics> {
    const now = clock.now()
    const counts = await countRecords(db, trust)
    const since = subtractMilliseconds(now, daysBehind * dayMs)
    const created = await countCreated(db, trust, { since, days: daysBehind })
    const until = addMilliseconds(now, daysAhead * dayMs)
    const fading = await countFading(db, trust, { now, until })
    const total = counts.reduce((sum, { records }) => sum + records, 0)
    const percent = total > 2 * sampleSize ? (100 * sampleSize) / total : 100
    const sample = await drawSample(db, trust, { now, percent })
    const regret = await measureRegret(db, trust)
    return describeFigures(
      { counts, created, fading, sample, regret },
      { asOf: now, isSampled: percent < 100 },
    )
  }

  return { read }
}
