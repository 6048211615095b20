import { fullTrust } from '../../../src/domain/trust/caller.ts'
import * as regrets from '../../../src/regrets/regrets.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust = { maxSensitivity: 'low', scopes: ['team'] } as const
const after = { last_at: now.toISOString(), record_id: id }

export const regretSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/regrets/regrets.queries.ts': {
    isAnyForgotten: regrets.isAnyForgotten,
    insertRegrets: (db) => db.transaction().execute((tx) => regrets.insertRegrets(tx, [id], now)),
    listRegrets: {
      'first page': (db) =>
        regrets.listRegrets(db, { filters: {}, trust: fullTrust, now, after: undefined, limit: 51 }),
      'next page, every filter': (db) =>
        regrets.listRegrets(db, {
          filters: { scope: 'team', reason: 'pruned' },
          trust,
          now,
          after,
          limit: 51,
        }),
    },
    measureRegret: {
      'of everything': (db) => regrets.measureRegret(db, fullTrust),
      'of what a key sees': (db) => regrets.measureRegret(db, trust),
    },
    deleteOldRegrets: (db) => regrets.deleteOldRegrets(db, now, 1_000),
  },
}
