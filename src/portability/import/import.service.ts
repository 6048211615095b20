import type { Database } from '../../db/connection.ts'
import { type Call, transact } from '../../db/transaction.ts'
import { type Caller, isAllowed, type Sensitivity } from '../../domain/caller.ts'
import type { createSeal } from '../../domain/tombstone-seal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/log.ts'
import type { PoliciesService } from '../../policies/index.ts'
import type { Tally } from '../portability.schemas.ts'
import { type Importing, type LooseEdge, settleEdges } from './import-edges.queries.ts'
import { createJudging, type Judged, statusOf } from './line-judgement.service.ts'
import {
  createReading,
  type Item,
  type Line,
  type Parse,
  requireNothingKept,
} from './line-reading.service.ts'
import { releaseLines } from './staging.queries.ts'
import { createStaging } from './staging.service.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  log: Logger
  seal: ReturnType<typeof createSeal>
  defaultSensitivity: Sensitivity
  textLanguage: string
  policies: Pick<PoliciesService, 'recall'>
}

export type Asked = { lines: AsyncIterable<Line>; parse: Parse; dryRun: boolean; signal: AbortSignal }

export { type Judged, statusOf }
export type Ending = { tally: Tally; loose: { count: number; first: LooseEdge[] } }

export type ImportService = ReturnType<typeof createImportService>

/** In one transaction: few enough to hold nobody up, and so many that what a transaction costs does not count. */
const portion = { lines: 200, bytes: 512 * 1_024 }
const settledAtOnce = 5_000
const mostNamed = 100

export function createImportService(resources: Resources) {
  const { db, clock, ids, log, policies } = resources
  const readItem = createReading(resources)
  const staging = createStaging(resources)
  const judge = createJudging(resources)

  /**
   * What became of each line, a portion at a time, and then of all. No transaction is open while a line is waited for
   * or a report is taken. Who may not say what the service keeps has nothing stored before all was looked at.
   */
  async function* run(call: Call, asked: Asked): AsyncGenerator<Judged[] | Ending> {
    const { caller } = call
    const importing = { importId: ids.next(), trust: caller.trust, now: clock.now() }
    const tally = { created: 0, unchanged: 0, conflict: 0, invalid: 0 }
    const ending: Ending['loose'] = { count: 0, first: [] }
    try {
      const lines = await admit(caller, asked, importing)
      for await (const items of portionsOf(caller, lines, asked)) {
        const { judged, loose } = await judge(caller, items, { ...importing, dryRun: asked.dryRun })
        note(ending, loose)
        for (const { fate } of judged) tally[statusOf(fate)]++
        yield judged
        if (asked.signal.aborted) throw new AppError('shutting_down', 'The process is stopping.')
      }
      await settle(importing, ending)
      yield { tally, loose: ending }
      log.info('import ended', { principal: caller.principal, dry_run: asked.dryRun, ...tally })
    } finally {
      // What the database cannot be told now, a purge clears away later. Edges that still wait stay for a day: when
      // the import is sent again, they show that an edge is on its way.
      await Promise.allSettled([releaseLines(db, importing.importId)])
    }
  }

  async function admit(caller: Caller, { lines, parse }: Asked, { importId, now }: Importing) {
    if (isAllowed(caller, 'admin')) return lines
    await staging.hold(importId, lines, now, (line) => requireNothingKept(line, parse))
    return staging.giveBack(importId)
  }

  /** Each id once in a portion, so that the second line of one meets what the first has made. */
  async function* portionsOf(caller: Caller, lines: AsyncIterable<Line>, { parse }: Asked) {
    let items: Item[] = []
    let bytes = 0
    let seen = new Set<string>()
    for await (const line of lines) {
      const item = readItem(line, { caller, parse, policies: await policies.recall(db) })
      if (items.length === portion.lines || bytes >= portion.bytes || (item.id && seen.has(item.id))) {
        yield items
        items = []
        bytes = 0
        seen = new Set()
      }
      items.push(item)
      bytes += item.size
      if (item.id) seen.add(item.id)
    }
    if (items.length > 0) yield items
  }

  async function settle(importing: Importing, ending: Ending['loose']): Promise<void> {
    for (;;) {
      const loose = await transact(db, {}, (tx) => settleEdges(tx, importing, settledAtOnce))
      if (!loose) return
      note(ending, loose)
    }
  }

  return { run }
}

function note(ending: Ending['loose'], loose: readonly LooseEdge[]): void {
  ending.count += loose.length
  ending.first.push(...loose.slice(0, mostNamed - ending.first.length))
}
