import type { Database } from '../../db/connection.ts'
import { type CallContext, transact } from '../../db/transaction.ts'
import { type Caller, isAllowed, type Sensitivity } from '../../domain/caller.ts'
import type { createSeal } from '../../domain/tombstone-seal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/log.ts'
import type { PoliciesService } from '../../policies/index.ts'
import type { Line } from '../line-limits.ts'
import type { Tally } from '../portability.schemas.ts'
import { type ImportContext, type LooseEdge, resolveWaitingEdges } from './import-edges.queries.ts'
import {
  createLineReader,
  type Parse,
  type ParsedLine,
  rejectReservedFields,
} from './line-reading.service.ts'
import { createPortionStore, getLineStatus, type LineResult } from './portion-store.service.ts'
import { deleteStagedLines } from './staging.queries.ts'
import { createStaging } from './staging.service.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  log: Logger
  seal: ReturnType<typeof createSeal>
  defaultSensitivity: Sensitivity
  textLanguage: string
  policies: Pick<PoliciesService, 'getAll'>
}

export type ImportRequest = { lines: AsyncIterable<Line>; parse: Parse; dryRun: boolean; signal: AbortSignal }

export { getLineStatus, type LineResult }
export type ImportSummary = { tally: Tally; loose: { count: number; first: LooseEdge[] } }

export type ImportService = ReturnType<typeof createImportService>

/**
 * Size of one transaction: small enough not to block others for long, large enough that its fixed cost does not
 * matter.
 */
const portion = { lines: 200, bytes: 512 * 1_024 }
const edgesPerBatch = 5_000
const maxNamed = 100

export function createImportService(resources: Resources) {
  const { db, clock, ids, log, policies } = resources
  const readItem = createLineReader(resources)
  const staging = createStaging(resources)
  const storePortion = createPortionStore(resources)

  /**
   * Yields the results of the lines, one portion at a time, and then the summary. No transaction is open while the
   * import waits for a line or for the reader of the report. For a caller without `admin` nothing is stored before
   * all lines were checked for reserved fields.
   */
  async function* run(
    call: CallContext,
    request: ImportRequest,
  ): AsyncGenerator<LineResult[] | ImportSummary> {
    const { caller } = call
    const context = { importId: ids.next(), trust: caller.trust, now: clock.now() }
    const tally = { created: 0, unchanged: 0, conflict: 0, invalid: 0 }
    const looseEdges: ImportSummary['loose'] = { count: 0, first: [] }
    try {
      const lines = await stageUnlessAdmin(caller, request, context)
      for await (const items of splitIntoPortions(caller, lines, request)) {
        const { results, loose } = await storePortion(caller, items, { ...context, dryRun: request.dryRun })
        addLooseEdges(looseEdges, loose)
        for (const { outcome } of results) tally[getLineStatus(outcome)]++
        yield results
        if (request.signal.aborted) throw new AppError('shutting_down', 'The process is stopping.')
      }
      await resolveEdges(context, looseEdges)
      yield { tally, loose: looseEdges }
      log.info('import ended', { principal: caller.principal, dry_run: request.dryRun, ...tally })
    } finally {
      // If this fails, a purge deletes the lines later. Waiting edges stay for a day: when the import is sent again,
      // they show that an edge is on its way.
      await Promise.allSettled([deleteStagedLines(db, context.importId)])
    }
  }

  async function stageUnlessAdmin(
    caller: Caller,
    { lines, parse }: ImportRequest,
    { importId, now }: ImportContext,
  ) {
    if (isAllowed(caller, 'admin')) return lines
    await staging.hold(importId, lines, now, (line) => rejectReservedFields(line, parse))
    return staging.giveBack(importId)
  }

  /** An id occurs once in a portion, so that a second line of the same id finds the record of the first. */
  async function* splitIntoPortions(caller: Caller, lines: AsyncIterable<Line>, { parse }: ImportRequest) {
    let items: ParsedLine[] = []
    let bytes = 0
    let seen = new Set<string>()
    for await (const line of lines) {
      const item = readItem(line, { caller, parse, policies: await policies.getAll(db) })
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

  async function resolveEdges(context: ImportContext, looseEdges: ImportSummary['loose']): Promise<void> {
    for (;;) {
      const loose = await transact(db, {}, (tx) => resolveWaitingEdges(tx, context, edgesPerBatch))
      if (!loose) return
      addLooseEdges(looseEdges, loose)
    }
  }

  return { run }
}

function addLooseEdges(looseEdges: ImportSummary['loose'], loose: readonly LooseEdge[]): void {
  looseEdges.count += loose.length
  looseEdges.first.push(...loose.slice(0, maxNamed - looseEdges.first.length))
}
