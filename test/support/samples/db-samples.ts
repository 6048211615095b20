import {
  computeLead,
  hasForeignTombstones,
  isTextLanguage,
  knowsCapitals,
} from '../../../src/db/configuration-checks.ts'
import { readView } from '../../../src/db/memory/seen-changes.ts'
import { findVisibleHorizon } from '../../../src/db/poll-horizon.ts'
import { beginOperation, endOperation, saveEffects, stopSavingEffects } from '../../../src/db/run-effects.ts'
import { createSavepoint, releaseSavepoint, rollbackToSavepoint } from '../../../src/db/savepoint.ts'
import { readStoreSecret } from '../../../src/db/store-secret.queries.ts'
import { addTallies, foldTallies } from '../../../src/db/tallies.ts'
import type { Sample } from './deletion-samples.ts'

const id = '0197b9a0-0000-7000-8000-000000000001'
const now = new Date('2026-01-01T00:00:00.000Z')

/** The statements of the database folder itself. The migrator's settings and locks are left to its own test. */
export const dbSamples: Record<string, Record<string, Sample>> = {
  'src/db/configuration-checks.ts': {
    knowsCapitals,
    isTextLanguage: (db) => isTextLanguage(db, 'english'),
    computeLead: (db) => computeLead(db, now),
    hasForeignTombstones: (db) => hasForeignTombstones(db, Buffer.alloc(8)),
  },
  'src/db/poll-horizon.ts': { findVisibleHorizon: (db) => findVisibleHorizon(db, now) },
  'src/db/run-effects.ts': {
    saveEffects: (db) => db.transaction().execute((tx) => saveEffects(tx, { id, dryRun: true })),
    stopSavingEffects: (db) => db.transaction().execute(stopSavingEffects),
    beginOperation: (db) => db.transaction().execute((tx) => beginOperation(tx, id)),
    endOperation: (db) => db.transaction().execute((tx) => endOperation(tx, id)),
  },
  'src/db/savepoint.ts': {
    createSavepoint: (db) => db.transaction().execute((tx) => createSavepoint(tx, 'part')),
    releaseSavepoint: (db) =>
      db.transaction().execute(async (tx) => {
        await createSavepoint(tx, 'part')
        await releaseSavepoint(tx, 'part')
      }),
    rollbackToSavepoint: (db) =>
      db.transaction().execute(async (tx) => {
        await createSavepoint(tx, 'part')
        await rollbackToSavepoint(tx, 'part')
      }),
  },
  'src/db/memory/seen-changes.ts': { readView },
  'src/db/store-secret.queries.ts': { readStoreSecret },
  'src/db/tallies.ts': {
    addTallies: (db) => addTallies(db, { served: 1 }),
    foldTallies: (db) => foldTallies(db, 5_000),
  },
}
