import type { Database } from '../../db/connection.ts'
import type { Call } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import type { ExportQuery } from '../schemas.ts'
import { type Page, readPage } from './queries.ts'

export type ExportService = ReturnType<typeof createExportService>

/** Before the first of all ids. */
const start = '00000000-0000-0000-0000-000000000000'

export function createExportService({ db, clock }: { db: Database; clock: Clock }) {
  /**
   * Every record that the key sees whole, as lines in the order of their ids. Each page is a statement by itself, so
   * that no transaction lasts as long as the slowest reader; the next is on its way while one is taken.
   */
  async function* run(call: Call, asked: ExportQuery, signal: AbortSignal): AsyncGenerator<string> {
    const { after = start, ...filters } = asked
    const selection = { trust: call.caller.trust, now: clock.now(), filters }
    const read = (position: string): Promise<Page> => {
      const page = readPage(db, position, selection)
      // Met when its turn comes; nobody waits for it when the reader goes before.
      page.catch(() => {})
      return page
    }
    for (let coming: Promise<Page> | null = read(after); coming; ) {
      const { text, next }: Page = await coming
      if (signal.aborted) throw new AppError('shutting_down', 'The process is stopping.')
      coming = next === null ? null : read(next)
      if (text !== '') yield text
    }
  }

  return { run }
}
