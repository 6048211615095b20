import type { Database } from '../../db/connection.ts'
import { translateFailure, violatedConstraint } from '../../db/failures.ts'
import { transact } from '../../db/transaction.ts'
import type { Caller } from '../../domain/caller.ts'
import type { createSeal } from '../../domain/tombstone-seal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Logger } from '../../kernel/log.ts'
import type { Tally } from '../portability.schemas.ts'
import type { Importing, LooseEdge } from './import-edges.queries.ts'
import type { Copy } from './imported-draft.ts'
import type { Item } from './line-reading.service.ts'
import { createStoring, type Fate, type Stored } from './storing.service.ts'

type Resources = {
  db: Database
  clock: Clock
  log: Logger
  seal: ReturnType<typeof createSeal>
  textLanguage: string
}

export type Judged = { line: number; id?: string; fate: Fate }
export type Judgement = { judged: Judged[]; loose: LooseEdge[] }

type Judging = Importing & { dryRun: boolean }
type Copied = Extract<Item, { copy: unknown }>

/** Undoes what was stored for the sake of its report. */
class Rehearsed extends Error {
  readonly stored: Stored
  constructor(stored: Stored) {
    super('rehearsed')
    this.stored = stored
  }
}

/** Stores a portion of lines, or finds out what storing it would come to, and says what became of each. */
export function createJudging(resources: Resources) {
  const { db, clock, log } = resources
  const store = createStoring(resources)

  async function judge(caller: Caller, items: readonly Item[], importing: Judging): Promise<Judgement> {
    const copies = items.flatMap((item) => ('copy' in item ? [item] : []))
    const stored = await storeAll(caller, copies, importing)
    const fates = new Map(stored.fates.map((fate, at) => [copies[at]?.line, fate]))
    const judged = items.map((item) => {
      const fate = 'error' in item ? item.error : (fates.get(item.line) ?? defect())
      return { line: item.line, ...(item.id === undefined ? {} : { id: item.id }), fate }
    })
    return { judged, loose: stored.loose }
  }

  async function storeAll(
    caller: Caller,
    items: readonly Copied[],
    importing: Judging,
    attempt = 1,
  ): Promise<Stored> {
    if (items.length === 0) return { fates: [], loose: [] }
    try {
      return await transact(db, { caller }, async (tx) => {
        const copies = items.map(({ copy }) => writtenNow(copy, clock.now()))
        const stored = await store(tx, caller, copies, importing)
        if (importing.dryRun) throw new Rehearsed(stored)
        return stored
      })
    } catch (error) {
      if (error instanceof Rehearsed) return error.stored
      const failure = translateFailure(error)
      if (failure instanceof AppError) throw failure
      // Another writer was between the check and the insert.
      if (violatedConstraint(error) === 'entity_identifiers_taken' && attempt < mostAttempts) {
        return storeAll(caller, items, importing, attempt + 1)
      }
      return storeByHalves(caller, items, importing, error)
    }
  }

  /** What cannot be stored for a reason nobody thought of is found, and keeps none of the others out. */
  async function storeByHalves(caller: Caller, items: readonly Copied[], importing: Judging, error: unknown) {
    if (items.length === 1) {
      log.error('a line could not be stored', { err: error, line: items[0]?.line })
      return { fates: [defect()], loose: [] }
    }
    const middle = items.length >> 1
    const first = await storeAll(caller, items.slice(0, middle), importing)
    const second = await storeAll(caller, items.slice(middle), importing)
    return { fates: [...first.fates, ...second.fates], loose: [...first.loose, ...second.loose] }
  }

  return judge
}

/** A line may have waited for those after it, and a client that polls must not miss it. */
function writtenNow(copy: Copy, now: Date): Copy {
  if (copy.given.updated_at !== undefined) return copy
  return { ...copy, draft: { ...copy.draft, row: { ...copy.draft.row, updated_at: now } } }
}

const mostAttempts = 4

export function statusOf(fate: Fate): keyof Tally {
  if (!(fate instanceof AppError)) return fate
  return fate.kind === 'conflict' || fate.kind === 'gone' ? 'conflict' : 'invalid'
}

function defect(): AppError {
  return new AppError('internal_error', 'The line could not be stored; the log says why.')
}
