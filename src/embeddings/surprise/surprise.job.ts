import type { Database } from '../../db/connection.ts'
import { transact } from '../../db/transaction.ts'
import { type Poll, startPoll } from '../../jobs/poll.ts'
import type { Logger } from '../../kernel/log.ts'
import { hasUncompared } from './surprise-comparison.queries.ts'
import type { createSurpriseComparison } from './surprise-comparison.service.ts'

type Resources = {
  db: Database
  log: Logger
  comparison: ReturnType<typeof createSurpriseComparison>
}

/** Compares new vectors soon after they are stored. It runs beside embedding, which does not wait for it. */
export function pollComparisons({ db, log, comparison }: Resources): Poll {
  return startPoll({
    everyMs: 1_000,
    look: async (signal) => {
      if (!(await hasUncompared(db))) return
      await comparison.comparePending({ inBatch: (work) => transact(db, {}, work), scope: null, signal })
    },
    onError: (error) => log.warn('the surprise queue could not be processed', { err: error }),
  })
}
