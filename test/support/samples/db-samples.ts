import { isTextLanguage } from '../../../src/db/configuration.ts'
import { findVisibleHorizon } from '../../../src/db/horizon.ts'
import { addTallies } from '../../../src/db/tallies.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')

/** What the database folder itself sends. The migrator's settings and locks are left to its own test. */
export const dbSamples: Record<string, Record<string, Sample>> = {
  'src/db/configuration.ts': { isTextLanguage: (db) => isTextLanguage(db, 'english') },
  'src/db/horizon.ts': { findVisibleHorizon: (db) => findVisibleHorizon(db, now) },
  'src/db/tallies.ts': { addTallies: (db) => addTallies(db, { served: 1 }) },
}
