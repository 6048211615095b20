import { defineConfig } from 'vitest/config'

/** What is broken here takes minutes and a machine's attention, so it is no part of `npm test`. */
export default defineConfig({
  test: {
    name: 'faults',
    include: ['test/faults/**/*.fault.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 600_000,
    teardownTimeout: 20_000,
  },
})
