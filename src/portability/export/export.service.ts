import type { Database } from '../../db/connection.ts'
import { chooseNextPoll, findVisibleHorizon } from '../../db/poll-horizon.ts'
import { readFromPrimary } from '../../db/request-scope.ts'
import type { CallContext } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ExportQuery } from '../portability.schemas.ts'
import { findPage, type Page, readExportLines, type Selection } from './export.queries.ts'

export type ExportService = ReturnType<typeof createExportService>

/** Pages that PostgreSQL writes at the same time: writing a line takes far longer than sending it. */
const maxAtOnce = 2

export function createExportService({ db, clock }: { db: Database; clock: Clock }) {
  /**
   * Yields every record that the caller sees whole, as lines ordered by id. Each page is its own statement, so no
   * transaction lasts as long as the slowest reader. The next pages are prepared while one is sent.
   */
  async function* run(call: CallContext, query: ExportQuery, signal: AbortSignal): AsyncGenerator<string> {
    // `Next-Updated-After` promises every change up to that time, also in a continued export, and a replica may lack
    // some.
    readFromPrimary()
    const { after, ...filters } = query
    const pending: Promise<string>[] = []
    const takeNext = async () => {
      const text = (await pending.shift()) ?? ''
      signal.throwIfAborted()
      return text
    }
    for await (const { text } of startPages(after, { trust: call.caller.trust, now: clock.now(), filters })) {
      if (pending.push(text) === maxAtOnce) yield takeNext()
    }
    while (pending.length > 0) yield takeNext()
  }

  /** Starts one page after the other, each when it is requested. */
  async function* startPages(
    from: string | undefined,
    selection: Selection,
  ): AsyncGenerator<{ text: Promise<string> }> {
    for (let page: Page | undefined; !page?.isLast; ) {
      page = await findPage(db, page ? page.to : from, selection)
      const text = readExportLines(db, page, selection)
      // The error is thrown when the page is sent. Without this handler an early failure would end the process.
      text.catch(() => {})
      yield { text }
    }
  }

  /** Call it before an export starts: an export with this value as `updated_after` continues it without a gap. */
  async function getNextUpdatedAfter({ updated_after: after }: ExportQuery): Promise<string> {
    return chooseNextPoll(after, await findVisibleHorizon(db, clock.now()))
  }

  return { run, getNextUpdatedAfter }
}
