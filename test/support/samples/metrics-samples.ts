import { fullTrust, type Trust } from '../../../src/domain/trust/caller.ts'
import { addRunTotals } from '../../../src/maintenance/running/run-totals.queries.ts'
import * as store from '../../../src/metrics/store.queries.ts'
import * as summary from '../../../src/metrics/summary.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust: Trust = { maxSensitivity: 'low', scopes: ['team'] }

export const metricsSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/maintenance/running/run-totals.queries.ts': {
    addRunTotals: (db) => db.transaction().execute((tx) => addRunTotals(tx, id)),
  },
  'src/metrics/store.queries.ts': {
    sumTallies: (db) => store.sumTallies(db),
    listJobs: (db) => store.listJobs(db, now),
    listBacklog: (db) => store.listBacklog(db, now, now),
    listSizes: (db) => store.listSizes(db),
  },
  'src/metrics/summary.queries.ts': {
    countRecords: {
      'of everything': (db) => summary.countRecords(db, fullTrust),
      'of what a key sees': (db) => summary.countRecords(db, trust),
    },
    countCreated: (db) => summary.countCreated(db, trust, { since: now, days: 30 }),
    countFading: (db) => summary.countFading(db, trust, { now, until: now }),
    drawSample: {
      'of every record': (db) => summary.drawSample(db, trust, { now, percent: 100 }),
      'of some pages': (db) => summary.drawSample(db, fullTrust, { now, percent: 2 }),
    },
  },
}
