import { sql } from 'kysely'
import * as checking from '../../../src/checking/breaches.queries.ts'
import * as departures from '../../../src/checking/deletion-laws.queries.ts'
import * as links from '../../../src/checking/edge-laws.queries.ts'
import * as histories from '../../../src/checking/history-laws.queries.ts'
import * as lives from '../../../src/checking/lifecycle-laws.queries.ts'
import * as upkeep from '../../../src/checking/maintenance-laws.queries.ts'
import * as names from '../../../src/checking/name-laws.queries.ts'
import * as plans from '../../../src/checking/plan-laws.queries.ts'
import * as vectors from '../../../src/checking/vector-laws.queries.ts'
import type { Database } from '../../../src/db/connection.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const { listHandledRecords, ...nameLaws } = names

type Law = (db: Database, now: Date) => Promise<unknown>

/** A law needs only the time. */
function lawsOf(queries: Readonly<Record<string, Law>>): Record<string, Sample> {
  return Object.fromEntries(Object.entries(queries).map(([name, find]) => [name, (db) => find(db, now)]))
}

/** Queries of the laws of the store. */
export const checkingSamples: Record<string, Record<string, Sample>> = {
  'src/checking/breaches.queries.ts': {
    findBreaches: (db) => checking.findBreaches(db, sql`select r.id, true from records as r`),
    prepareForWholeTables: (db) => checking.prepareForWholeTables(db),
  },
  'src/checking/deletion-laws.queries.ts': lawsOf(departures),
  'src/checking/history-laws.queries.ts': lawsOf(histories),
  'src/checking/edge-laws.queries.ts': lawsOf(links),
  'src/checking/lifecycle-laws.queries.ts': lawsOf(lives),
  'src/checking/name-laws.queries.ts': {
    ...lawsOf(nameLaws),
    listHandledRecords: (db) => listHandledRecords(db, '00000000-0000-0000-0000-000000000000', 1_000),
  },
  'src/checking/maintenance-laws.queries.ts': lawsOf(upkeep),
  'src/checking/plan-laws.queries.ts': lawsOf(plans),
  'src/checking/vector-laws.queries.ts': lawsOf(vectors),
}
