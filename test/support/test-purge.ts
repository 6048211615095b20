import { createPurge } from '../../src/maintenance/index.ts'
import { findNextPurgeable, listPurgeable, purgeForgotten } from '../../src/records/index.ts'

/** The job `purge` of forgotten records, and of the expired rows that a test names. */
export function createTestPurge({
  expired = {},
  keepHistories = async () => {},
}: Partial<Omit<Parameters<typeof createPurge>[0], 'records'>> = {}) {
  return createPurge({
    expired,
    keepHistories,
    records: { purgeForgotten, findNextPurgeable, listPurgeable },
  })
}
