import { defineConfig } from 'vitest/config'
import { roomJourneys } from './test/support/room-journeys.ts'
import { createTestCountReporter } from './test/support/test-count-reporter.ts'
import { shared } from './vitest.config.ts'

/** What depends on the server: run on PostgreSQL 15 with Redis by `.ci/run`, beside the whole suite on the embedded one. */
export default defineConfig({
  test: {
    ...shared,
    name: 'contract',
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', createTestCountReporter()],
    include: ['test/db/**/*.test.ts', 'test/jobs/**/*.test.ts', ...Object.values(roomJourneys)],
  },
})
