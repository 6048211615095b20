import type { Database } from '../../db/connection.ts'
import { type Poll, startPoll } from '../../jobs/poll.ts'
import type { Logger } from '../../kernel/log.ts'
import type { CellCache } from './cell-cache.service.ts'
import { createCellUpkeep } from './cell-upkeep.service.ts'

type Resources = { db: Database; log: Logger; cache: CellCache }

/** Keeps the cells of the vector search. A look when nothing is due costs a few index probes. */
export function pollCells({ db, log, cache }: Resources): Poll {
  const upkeep = createCellUpkeep({ db, log, cache })
  return startPoll({
    everyMs: 30_000,
    look: (signal) => upkeep.tidy(signal),
    onError: (error) => log.warn('the cells of vectors could not be updated', { err: error }),
  })
}
