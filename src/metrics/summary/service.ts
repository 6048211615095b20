import type { Database } from '../../db/connection.ts'
import type { Call } from '../../db/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { StoreMetrics } from '../schemas.ts'
export function createSummaryService(_: { db: Database; clock: Clock }) {
  return {
    read: async (_call: Call): Promise<StoreMetrics> => {
      throw new Error('x')
    },
  }
}
export type SummaryService = ReturnType<typeof createSummaryService>
