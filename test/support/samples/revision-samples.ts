import type { Trust } from '../../../src/domain/trust/caller.ts'
import * as quoting from '../../../src/revision/retirement/quoting-records.queries.ts'
import * as reverting from '../../../src/revision/reversal/merge-reversal.queries.ts'
import * as reversal from '../../../src/revision/reversal/reversal.queries.ts'
import * as revision from '../../../src/revision/revision.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust: Trust = { maxSensitivity: 'low', scopes: ['team'] }

/** Queries of revisions. */
export const revisionSamples: Record<string, Record<string, Sample>> = {
  'src/revision/revision.queries.ts': {
    copyLinks: (db) => revision.copyLinks(db, [id], id, now),
    deleteIdentifiersOf: (db) => revision.deleteIdentifiersOf(db, [id]),
    findLineage: (db) => revision.findLineage(db, id, trust, 10_000),
  },
  'src/revision/retirement/quoting-records.queries.ts': {
    findQuoting: (db) => quoting.findQuoting(db, id),
    deleteProfileRows: (db) => quoting.deleteProfileRows(db, [id]),
  },
  'src/revision/reversal/reversal.queries.ts': {
    findLastOperation: (db) => reversal.findLastOperation(db, id),
  },
  'src/revision/reversal/merge-reversal.queries.ts': {
    findMergedSources: (db) => reverting.findMergedSources(db, id),
    findSalienceBeforeMerge: (db) => reverting.findSalienceBeforeMerge(db, [id]),
  },
}
