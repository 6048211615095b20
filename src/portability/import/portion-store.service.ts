import type { Database } from '../../db/connection.ts'
import { findViolatedConstraint, translateFailure } from '../../db/failures.ts'
import { transact, transactAndRollBack } from '../../db/transaction.ts'
import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { halve } from '../../kernel/collections/halve.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Logger } from '../../kernel/log.ts'
import type { Draft } from '../../records/index.ts'
import type { ImportedCopy } from './drafting/imported-draft.ts'
import type { ParsedLine } from './drafting/line-reading.service.ts'
import type { DryRunMemory } from './dry-run-memory.ts'
import type { Tally } from './report/import-report.schemas.ts'
import type { ImportContext, LooseEdge } from './storing/import-edges.queries.ts'
import { createLineStorage, type StoredLines } from './storing/line-storage.service.ts'
import type { LineOutcome } from './storing/record-differences.ts'

type Resources = {
  db: Database
  clock: Clock
  log: Logger
  seal: Seal
  textLanguage: string
}

/** `draft` is the record that the line describes, in a dry run. */
export type LineResult = { line: number; id: string | undefined; outcome: LineOutcome; draft?: Draft }
export type PortionResult = { results: LineResult[]; loose: LooseEdge[] }

/** With `dryRun` nothing stays stored. */
type PortionContext = ImportContext & { dryRun: DryRunMemory | undefined }
type ReadableLine = Extract<ParsedLine, { copy: unknown }>

const nothingStored: StoredLines = { outcomes: [], loose: [], knownAs: new Map() }

/** Returns a function that stores a portion of lines, or tries it in a dry run, and reports the outcome of each. */
export function createPortionStore(resources: Resources) {
  const { db, clock, log } = resources
  const store = createLineStorage(resources)

  async function storePortion(items: readonly ParsedLine[], context: PortionContext): Promise<PortionResult> {
    const copies = items.flatMap((item) => ('copy' in item ? [item] : []))
    const stored = await storeAll(copies, context)
    const outcomes = new Map(
      copies.map((item, at) => {
        const outcome = stored.outcomes[at] ?? createLineFailedError()
        return [item, context.dryRun?.(item.copy, outcome) ?? outcome]
      }),
    )
    const results = items
      .filter(({ isMention }) => !isMention)
      .map((item) => {
        const place = { line: item.line, id: stored.knownAs.get(item.id ?? '') ?? item.id }
        if ('error' in item) return { ...place, outcome: item.error }
        const result = { ...place, outcome: outcomes.get(item) ?? createLineFailedError() }
        return context.dryRun ? { ...result, draft: item.copy.draft } : result
      })
    return { results, loose: stored.loose }
  }

  async function storeAll(
    items: readonly ReadableLine[],
    context: PortionContext,
    attempt = 1,
  ): Promise<StoredLines> {
    if (items.length === 0) return nothingStored
    try {
      const run = context.dryRun ? transactAndRollBack : transact
      return await run(db, { caller: context.caller }, async (tx) => {
        const copies = items.map(({ copy }) => setUpdatedAt(copy, clock.now()))
        return store(tx, copies, context)
      })
    } catch (error) {
      const failure = translateFailure(error)
      if (failure instanceof AppError) throw failure
      // Another transaction inserted the identifier between the check and the insert.
      if (findViolatedConstraint(error) === 'entity_identifiers_taken' && attempt < maxAttempts) {
        return storeAll(items, context, attempt + 1)
      }
      return storeByHalves(items, context, error)
    }
  }

  /**
   * After an unexpected failure the portion is halved until the line that causes it is alone. All other lines are
   * stored.
   */
  async function storeByHalves(items: readonly ReadableLine[], context: PortionContext, error: unknown) {
    if (items.length === 1) {
      log.error('a line could not be stored', { err: error, line: items[0]?.line })
      return { ...nothingStored, outcomes: [createLineFailedError()] }
    }
    const halves: StoredLines[] = []
    for (const half of halve(items)) halves.push(await storeAll(half, context))
    return {
      outcomes: halves.flatMap(({ outcomes }) => outcomes),
      loose: halves.flatMap(({ loose }) => loose),
      knownAs: new Map(halves.flatMap(({ knownAs }) => [...knownAs])),
    }
  }

  return storePortion
}

/**
 * Sets `updated_at` at the time of the write: a line may have waited for those after it, and a client that polls must
 * not miss it.
 */
function setUpdatedAt(copy: ImportedCopy, now: Date): ImportedCopy {
  if (copy.given.updated_at !== undefined) return copy
  const { written: _, ...draft } = copy.draft
  return { ...copy, draft: { ...draft, row: { ...draft.row, updated_at: now } } }
}

const maxAttempts = 4

export function getLineStatus(outcome: LineOutcome): keyof Tally {
  if (outcome === 'earlier') return 'unchanged'
  if (!(outcome instanceof AppError)) return outcome
  return outcome.kind === 'conflict' || outcome.kind === 'gone' ? 'conflict' : 'invalid'
}

function createLineFailedError(): AppError {
  return new AppError('internal_error', 'The line could not be stored; the log has the reason.')
}
