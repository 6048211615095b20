import { configDefaults, defineConfig } from 'vitest/config'
import { notOnCitus, roomJourneys } from './test/support/room-journeys.ts'
import { createTestCountReporter } from './test/support/test-count-reporter.ts'
import { shared } from './vitest.config.ts'

const onCitus = ['test/tenants/distributed-tenant.test.ts', 'test/tenants/tenant-on-node.test.ts']
const journeys = Object.entries(roomJourneys)

/** What decides these is Redis, the connections of a process, or two versions of the schema, and the same on every server. */
const sameOnEveryServer = [
  'test/db/pool.test.ts',
  'test/db/upgrading.test.ts',
  'test/jobs/announcements.test.ts',
  'test/jobs/fair-slots.test.ts',
  'test/jobs/full-redis.test.ts',
  'test/jobs/worker-connections.test.ts',
]

/**
 * What depends on the server: run on PostgreSQL 15 with Redis by `.ci/run`, beside the whole suite on the embedded one.
 * With TEST_CITUS_URL each file has its tables on a node of Citus, and what changes tables there is left out.
 */
const include =
  process.env['TEST_CITUS_URL'] === undefined
    ? [
        'test/db/**/*.test.ts',
        'test/jobs/**/*.test.ts',
        ...journeys.flatMap(([, files]) => files),
        ...onCitus,
      ]
    : [...journeys.filter(([room]) => !notOnCitus.has(room)).flatMap(([, files]) => files), ...onCitus]

export default defineConfig({
  test: {
    ...shared,
    name: 'contract',
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', createTestCountReporter()],
    include,
    exclude: [...configDefaults.exclude, ...sameOnEveryServer],
    ...(process.env['TEST_CITUS_URL'] === undefined ? {} : { testTimeout: 180_000 }),
  },
})
