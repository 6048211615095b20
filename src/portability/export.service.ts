import type { Database } from '../db/connection.ts'
import { findVisibleHorizon, nextPollAfter } from '../db/horizon.ts'
import type { CallContext } from '../db/transaction.ts'
import type { Clock } from '../kernel/clock.ts'
import { AppError } from '../kernel/errors.ts'
import { findPage, type Page, readExportLines, type Selection } from './export.queries.ts'
import type { ExportQuery } from './portability.schemas.ts'

export type ExportService = ReturnType<typeof createExportService>

/** Pages that are written at once: PostgreSQL takes far longer to write a line than it takes to send it. */
const maxAtOnce = 2

export function createExportService({ db, clock }: { db: Database; clock: Clock }) {
  /**
   * Every record that the key sees whole, as lines in the order of their ids. Each page is a statement by itself, so
   * that no transaction lasts as long as the slowest reader; others are on their way while one is taken.
   */
  async function* run(call: CallContext, asked: ExportQuery, signal: AbortSignal): AsyncGenerator<string> {
    const { after, ...filters } = asked
    const coming: Promise<string>[] = []
    const take = async () => {
      const text = (await coming.shift()) ?? ''
      if (signal.aborted) throw new AppError('shutting_down', 'The process is stopping.')
      return text
    }
    for await (const { text } of begin(after, { trust: call.caller.trust, now: clock.now(), filters })) {
      if (coming.push(text) === maxAtOnce) yield take()
    }
    while (coming.length > 0) yield take()
  }

  /** One page after the other, each of them begun when it is asked for. */
  async function* begin(
    from: string | undefined,
    selection: Selection,
  ): AsyncGenerator<{ text: Promise<string> }> {
    for (let page: Page | undefined; !page?.isLast; ) {
      page = await findPage(db, page ? page.to : from, selection)
      const text = readExportLines(db, page, selection)
      // Met when its turn comes; nobody waits for it when the reader goes before.
      text.catch(() => {})
      yield { text }
    }
  }

  /** Asked before an export begins: an export of what changed after this instant continues it without a gap. */
  async function getNextUpdatedAfter({ updated_after: asked }: ExportQuery): Promise<string> {
    return nextPollAfter(asked, await findVisibleHorizon(db, clock.now()))
  }

  return { run, nextAfter: getNextUpdatedAfter }
}
