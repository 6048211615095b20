import { fullTrust } from '../../../src/domain/trust/caller.ts'
import * as simulation from '../../../src/simulation/simulation.queries.ts'
import type { Sample } from './deletion-samples.ts'

const until = new Date('2026-01-01T00:00:00.000Z')
const from = new Date('2025-12-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const everything: simulation.Selection = {
  from,
  until,
  types: ['semantic'],
  scope: null,
  trust: fullTrust,
}
const some: simulation.Selection = {
  ...everything,
  scope: 'team',
  trust: { maxSensitivity: 'low', scopes: null },
}
const curve = [{ value: 1, forgotten: 0, bytes_saved: 0, regretted: 0 }]

export const simulationSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/simulation/simulation.queries.ts': {
    countSimulated: (db) => simulation.countSimulated(db, everything),
    readLives: (db) => simulation.readLives(db, { ...some, after: id, limit: 100 }),
    readScoredLives: (db) => simulation.readScoredLives(db, { ...everything, after: id, limit: 100 }),
    findProgress: (db) => simulation.findProgress(db, id),
    saveProgress: (db) =>
      db.transaction().execute((tx) => simulation.saveProgress(tx, id, { position: id, curve })),
  },
}
