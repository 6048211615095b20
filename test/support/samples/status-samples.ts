import { sql } from 'kysely'
import { startPosition } from '../../../src/jobs/runs/run-walk.ts'
import * as access from '../../../src/lifecycle/access/access.queries.ts'
import * as folding from '../../../src/lifecycle/access/access-folding.queries.ts'
import * as history from '../../../src/lifecycle/history/history.queries.ts'
import * as scoring from '../../../src/lifecycle/importance/importance.queries.ts'
import * as refreshing from '../../../src/lifecycle/importance/importance-refresh.queries.ts'
import * as rejudging from '../../../src/lifecycle/importance/rejudging.queries.ts'
import * as worth from '../../../src/lifecycle/importance/worth.queries.ts'
import * as transition from '../../../src/lifecycle/status/status.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'

/** Queries of status changes and their history. */
export const statusSamples: Record<string, Record<string, Sample>> = {
  'src/lifecycle/access/access.queries.ts': {
    insertUse: (db) => access.insertUse(db, id, { at: now, actor: 'ada' }),
    logAccesses: (db) => access.logAccesses(db, []),
  },
  'src/lifecycle/access/access-folding.queries.ts': {
    claimFoldable: (db) =>
      db.transaction().execute((tx) => folding.claimFoldable(tx, { before: now, after: id, limit: 500 })),
    foldOldest: (db) =>
      db.transaction().execute((tx) => folding.foldOldest(tx, { ids: [id], before: now, limit: 1_000 })),
  },
  'src/lifecycle/history/history.queries.ts': {
    listImportanceMoves: (db) => history.listImportanceMoves(db, { id, after: 0, limit: 101 }),
    listStatusChanges: (db) =>
      history.listStatusChanges(db, {
        id,
        trust: { maxSensitivity: 'low', scopes: ['team'] },
        after: 0,
        limit: 101,
      }),
  },
  'src/lifecycle/importance/importance-refresh.queries.ts': {
    countRefreshable: (db) => refreshing.countRefreshable(db, null),
    listRefreshable: (db) => refreshing.listRefreshable(db, { first_block: 0, end_block: 256 }, 'team'),
    refreshScores: (db) =>
      db.transaction().execute((tx) =>
        refreshing.refreshScores(tx, {
          part: { first_block: 0, end_block: 256 },
          scope: null,
          now,
          runId: id,
        }),
      ),
  },
  'src/lifecycle/importance/importance.queries.ts': {
    computeImportance: (db) => {
      const { join, importance } = scoring.computeImportance(now)
      return sql`select r.id, ${importance} as importance from records as r ${join}`.execute(db)
    },
    findLoggedAccesses: (db) => scoring.findLoggedAccesses(db, id),
    rescore: (db) => scoring.rescore(db, { ids: [id], now, runId: id }),
  },
  'src/lifecycle/importance/rejudging.queries.ts': {
    countUnjudged: (db) => rejudging.countUnjudged(db, null),
    claimUnjudged: (db) =>
      db
        .transaction()
        .execute((tx) => rejudging.claimUnjudged(tx, { after: startPosition, limit: 200, scope: 'team' })),
    listJudgeable: (db) => db.transaction().execute((tx) => rejudging.listJudgeable(tx, [id])),
    writeJudgements: (db) =>
      db
        .transaction()
        .execute((tx) =>
          rejudging.writeJudgements(tx, [{ id, value: 0.4, code: Buffer.from([1]) }], { now, runId: id }),
        ),
  },
  'src/lifecycle/importance/worth.queries.ts': {
    findMessagesBefore: (db) =>
      worth.findMessagesBefore(db, [
        { scope: 'team', conversation: 'c', sensitivity: 'low', at: now.toISOString() },
      ]),
    findWorth: (db) => worth.findWorth(db, id),
  },
  'src/lifecycle/status/status.queries.ts': {
    findLastStep: (db) => transition.findLastStep(db, id),
    findSalienceBeforeRevision: (db) => transition.findSalienceBeforeRevision(db, id),
  },
}
