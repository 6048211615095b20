import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { isLongRun } from './test/support/long-run.ts'
import { createTestCountReporter } from './test/support/test-count-reporter.ts'

process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compile')

/** Node needs no database for these. */
const unit = ['test/unit/**/*.test.ts', 'test/architecture/**/*.test.ts']
/** Whole processes are started and killed here: roles of the service, compilers and servers. */
const processes = [
  'test/process/**/*.test.ts',
  'test/mcp/stdio.test.ts',
  'test/http/generated-clients.test.ts',
  'test/tenants/lost-tenant-server.test.ts',
  'clients/typescript/test/package.test.ts',
]
const browser = ['test/console/browser/**/*.test.ts']
/** They replace modules and environment variables, which others in the same process would see. */
const isolated = ['test/fuzz/forged-cursors.test.ts', 'test/llm/chat-model.test.ts']

/** Storms, kills at every statement and long searches for faults: `npm run test:long`. */
const long = isLongRun ? [] : ['test/**/*.long.test.ts']
const exclude = [...configDefaults.exclude, ...long]

/** Spread into each project: one that `extends` would run the global setup again, once for itself. */
export const shared = {
  pool: 'forks' as const,
  // A worker keeps the modules it has loaded for the next file: loading them anew took a second of each file.
  isolate: false,
  // Node reads TypeScript itself, and keeps what it compiled for the next run. Transforming took a tenth of the time.
  experimental: { viteModuleRunner: false, nodeLoader: false },
  // Files wait for PostgreSQL more than they compute, so there is use for one worker more than cores.
  maxWorkers: availableParallelism() + 1,
  // Each app that a test starts leaves much behind at once, which a small young generation collects many times.
  execArgv: ['--max-semi-space-size=64'],
  // Reached only when something hangs: a real server on a busy machine is slow, not broken.
  testTimeout: 90_000,
  hookTimeout: 120_000,
  teardownTimeout: 20_000,
  expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', createTestCountReporter()],
    projects: [
      { test: { ...shared, name: 'unit', include: unit, exclude } },
      {
        test: {
          ...shared,
          name: 'service',
          // All that no other project runs, so that the tests of a new folder are run too.
          include: ['test/**/*.test.ts', 'clients/*/test/**/*.test.ts'],
          exclude: [...exclude, ...unit, ...isolated, ...processes, ...browser],
        },
      },
      // Node cannot replace modules.
      { test: { ...shared, name: 'isolated', isolate: true, experimental: {}, include: isolated, exclude } },
      {
        test: {
          ...shared,
          name: 'process',
          include: processes,
          exclude,
          testTimeout: 180_000,
        },
      },
      // It needs Chromium.
      { test: { ...shared, name: 'browser', include: browser, exclude, testTimeout: 90_000 } },
    ],
  },
})
