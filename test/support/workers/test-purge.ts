import { createPurge } from '../../../src/maintenance/index.ts'

/** The job `purge` of forgotten records, and of the expired rows that a test names. */
export function createTestPurge({
  expired = {},
  keepHistories = async () => {},
}: Partial<Parameters<typeof createPurge>[0]> = {}) {
  return createPurge({ expired, keepHistories })
}
