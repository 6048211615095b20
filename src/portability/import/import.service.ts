import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { Database } from '../../db/connection.ts'
import { type CallContext, transact } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { type Caller, isAllowed, type Sensitivity } from '../../domain/trust/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/log.ts'
import type { PoliciesService } from '../../policies/index.ts'
import { presentCreated, type WrittenRecord } from '../../records/index.ts'
import { createForeignReading, type ForeignRequest } from '../foreign/foreign-reading.service.ts'
import type { Line } from '../line-limits.ts'
import {
  type CheckSize,
  createLineReader,
  type Parse,
  type ParsedLine,
  rejectReservedFields,
} from './drafting/line-reading.service.ts'
import { createDryRunMemory } from './dry-run-memory.ts'
import { createPortionStore, getLineStatus, type LineResult } from './portion-store.service.ts'
import { readAhead } from './reading-ahead.ts'
import type { Tally } from './report/import-report.schemas.ts'
import { deleteStagedLines } from './staging.queries.ts'
import { createStaging } from './staging.service.ts'
import { type ImportContext, type LooseEdge, resolveWaitingEdges } from './storing/import-edges.queries.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  log: Logger
  seal: Seal
  defaultSensitivity: Sensitivity
  textLanguage: string
  policies: Pick<PoliciesService, 'getAll'>
}

export type ImportRequest = {
  lines: AsyncIterable<Line>
  parse: Parse
  checkPlainSize: CheckSize
  dryRun: boolean
  signal: AbortSignal
  /** Throws when the caller may no longer write: a file can take hours to arrive. */
  confirmCaller: () => Promise<void>
}
type Running = Pick<ImportRequest, 'dryRun' | 'signal' | 'confirmCaller'>
export type ForeignImportRequest = ForeignRequest & Running

/** `sample` is there after a dry run of a foreign file. */
export type ImportSummary = {
  tally: Tally
  loose: { count: number; first: LooseEdge[] }
  sample?: readonly WrittenRecord[]
}

export type ImportService = ReturnType<typeof createImportService>

/**
 * Size of one transaction: small enough not to block others for long, large enough that its fixed cost does not
 * matter.
 */
const portion = { lines: 200, bytes: 512 * 1_024 }
/**
 * Lines that are drafted at a time. Without a pause the answers of the database, and all other requests, wait for a
 * whole portion: an import took as long as drafting and storing together.
 */
const linesPerTurn = 8
const edgesPerBatch = 5_000
const maxNamed = 100

export function createImportService(resources: Resources) {
  const { db, clock, ids, log, policies } = resources
  const readItem = createLineReader(resources)
  const readForeign = createForeignReading(resources)
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
    const context = createContext(call)
    try {
      const lines = await stageUnlessAdmin(request, context)
      const portions = readAhead(splitIntoPortions(parseLines(call.caller, lines, request)))
      yield* storeAll(portions, request, context)
    } finally {
      // If this fails, a purge deletes the lines later. Waiting edges stay for a day: when the import is sent again,
      // they show that an edge is on its way.
      await Promise.allSettled([deleteStagedLines(db, context.importId)])
    }
  }

  /** The same for the file of another program. */
  async function* runForeign(call: CallContext, request: ForeignImportRequest) {
    const { caller } = call
    const context = createContext(call)
    const sample: WrittenRecord[] = []
    const portions = readAhead(splitIntoPortions(readForeign(caller, request)))
    for await (const report of storeAll(portions, request, context)) {
      if (Array.isArray(report)) {
        if (request.dryRun)
          sample.push(...presentSample(caller, report, context.now).slice(0, maxSample - sample.length))
        yield report
      } else yield { ...report, loose: noLoose, ...(request.dryRun ? { sample } : {}) }
    }
  }

  function createContext({ caller }: CallContext): ImportContext {
    return { importId: ids.next(), caller, now: clock.now() }
  }

  async function* storeAll(
    portions: AsyncIterable<ParsedLine[]>,
    { dryRun, signal, confirmCaller }: Running,
    context: ImportContext,
  ): AsyncGenerator<LineResult[] | ImportSummary> {
    const storing = { ...context, dryRun: dryRun ? createDryRunMemory() : undefined }
    const tally = { created: 0, unchanged: 0, conflict: 0, invalid: 0 }
    const looseEdges: ImportSummary['loose'] = { count: 0, first: [] }
    for await (const items of portions) {
      await confirmCaller()
      const { results, loose } = await storePortion(items, storing)
      addLooseEdges(looseEdges, loose)
      for (const { outcome } of results) tally[getLineStatus(outcome)]++
      takeApart(items)
      yield results
      signal.throwIfAborted()
    }
    await resolveEdges(context, looseEdges)
    yield { tally, loose: looseEdges }
    log.info('import ended', { principal: context.caller.principal, dry_run: dryRun, ...tally })
  }

  async function stageUnlessAdmin(
    { lines, parse, confirmCaller }: ImportRequest,
    { importId, caller, now }: ImportContext,
  ) {
    if (isAllowed(caller, 'admin')) return lines
    const look = (line: Line) => rejectReservedFields(line, parse)
    await staging.stage(lines, { importId, now, look, confirmCaller })
    return staging.readBack(importId)
  }

  async function* parseLines(caller: Caller, lines: AsyncIterable<Line>, request: ImportRequest) {
    for await (const line of lines)
      yield readItem(line, { ...request, caller, policies: await policies.getAll(db) })
  }

  /** An id occurs once in a portion, so that a second line of the same id finds the record of the first. */
  async function* splitIntoPortions(lines: AsyncIterable<ParsedLine>) {
    let items: ParsedLine[] = []
    let bytes = 0
    let seen = new Set<string>()
    for await (const item of lines) {
      if (items.length % linesPerTurn === 0) await yieldTurn()
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

  return { run, runForeign }
}

/**
 * Takes a stored portion apart. V8 moves a few of its objects among the old ones, and from there they would keep the
 * others, and lines that come later, in memory until the next full collection: an import took 60 MB more.
 */
function takeApart(items: ParsedLine[]): void {
  for (const item of items) {
    if ('copy' in item) Object.assign(item.copy, { draft: undefined, given: undefined })
  }
  items.length = 0
}

function addLooseEdges(looseEdges: ImportSummary['loose'], loose: readonly LooseEdge[]): void {
  looseEdges.count += loose.length
  looseEdges.first.push(...loose.slice(0, maxNamed - looseEdges.first.length))
}

/** The ends of the relations of a foreign file have no ids that its sender knows. */
const noLoose: ImportSummary['loose'] = { count: 0, first: [] }

function presentSample(caller: Caller, results: readonly LineResult[], now: Date): WrittenRecord[] {
  const drafts = results.flatMap(({ outcome, draft }) => (outcome === 'created' && draft ? [draft] : []))
  return drafts.slice(0, maxSample).map((draft) => presentCreated(caller, draft, draft.edges, now))
}

const maxSample = 5
