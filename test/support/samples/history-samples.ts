import * as histories from '../../../src/maintenance/histories.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const rotation = { now, keepFrom: null, minBytes: 64 }

export const historySamples: Record<string, Record<string, Sample>> = {
  'src/maintenance/histories.queries.ts': {
    rotateHistory: (db) =>
      db.transaction().execute((tx) => histories.rotateHistory(tx, 'audit_entries', rotation)),
    analyzeHistory: (db) => db.transaction().execute((tx) => histories.analyzeHistory(tx, 'audit_entries')),
    findOldestKeptRun: (db) => histories.findOldestKeptRun(db, { before: now, now }),
  },
}
