import { sql } from 'kysely'
import * as access from '../../src/cognition/access/queries.ts'
import * as folding from '../../src/cognition/folding/queries.ts'
import * as history from '../../src/cognition/history/queries.ts'
import * as refreshing from '../../src/cognition/refreshing/queries.ts'
import * as transition from '../../src/cognition/transition/queries.ts'
import * as scoring from '../../src/records/scoring/queries.ts'
import type { Sample } from './departing-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'

/** What is asked when a record's status moves, and of how it moved. */
export const cognitionSamples: Record<string, Record<string, Sample>> = {
  'src/cognition/access/queries.ts': {
    noteAccesses: (db) => access.noteAccesses(db, []),
  },
  'src/cognition/folding/queries.ts': {
    claimFoldable: (db) =>
      db.transaction().execute((tx) => folding.claimFoldable(tx, { before: now, after: id, limit: 500 })),
    foldOldest: (db) =>
      db.transaction().execute((tx) => folding.foldOldest(tx, { ids: [id], before: now, limit: 1_000 })),
  },
  'src/cognition/history/queries.ts': {
    listImportanceMoves: (db) => history.listImportanceMoves(db, id, 0, 101),
  },
  'src/cognition/refreshing/queries.ts': {
    countRefreshable: (db) => refreshing.countRefreshable(db, null),
    listRefreshable: (db) => refreshing.listRefreshable(db, { first_block: 0, end_block: 256 }, 'team'),
    refreshScores: (db) =>
      db.transaction().execute((tx) =>
        refreshing.refreshScores(tx, {
          ...{ part: { first_block: 0, end_block: 256 }, scope: null, now, runId: id },
        }),
      ),
  },
  'src/records/scoring/queries.ts': {
    scoringAt: (db) => {
      const { join, importance } = scoring.scoringAt(now)
      return sql`select r.id, ${importance} as importance from records as r ${join}`.execute(db)
    },
    findLoggedAccesses: (db) => scoring.findLoggedAccesses(db, id),
    rescore: (db) => scoring.rescore(db, { ids: [id], now }),
    moveScores: (db) => scoring.moveScores(db, { ids: [id], now, runId: id }),
  },
  'src/cognition/transition/queries.ts': {
    listStatusChanges: (db) =>
      transition.listStatusChanges(db, {
        id,
        trust: { maxSensitivity: 'low', scopes: ['team'] },
        after: 0,
        limit: 101,
      }),
    findLastStep: (db) => transition.findLastStep(db, id),
    findSalienceTaken: (db) => transition.findSalienceTaken(db, id),
  },
}
