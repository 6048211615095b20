import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { createTestCountReporter } from './test/support/test-count-reporter.ts'

const folders = { unit: ['unit', 'architecture'], db: ['db', 'jobs'], process: ['process'] }

const testsIn = (names: readonly string[]) => names.map((name) => `test/${name}/**/*.test.ts`)

/** Spread into each project: one that `extends` would run the global setup again, once for itself. */
const shared = {
  // One process per file: a test that ends its process, or leaves a handle open, harms only its own file.
  pool: 'forks' as const,
  // Files wait for PostgreSQL more than they compute, so even one core has use for two workers.
  maxWorkers: Math.max(2, availableParallelism()),
  // Reached only when something hangs: a real server on a busy machine is slow, not broken.
  testTimeout: 30_000,
  hookTimeout: 120_000,
  teardownTimeout: 20_000,
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', createTestCountReporter()],
    projects: [
      { test: { ...shared, name: 'unit', include: testsIn(folders.unit) } },
      { test: { ...shared, name: 'db', include: testsIn(folders.db) } },
      {
        test: {
          ...shared,
          name: 'http',
          // Whatever the others leave, so that no new folder goes unrun.
          include: ['test/**/*.test.ts'],
          exclude: testsIn(Object.values(folders).flat()),
        },
      },
      {
        test: {
          ...shared,
          name: 'process',
          include: testsIn(folders.process),
          testTimeout: 120_000,
          // Whole processes are started, killed and timed here; beside other tests their deadlines mean nothing.
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
