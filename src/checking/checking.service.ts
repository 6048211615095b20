import type { Database } from '../db/connection.ts'
import { isStatementTimeout } from '../db/failures.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Clock } from '../kernel/clock.ts'
import { prepareForWholeTables } from './breaches.queries.ts'
import {
  findErasedAnswers,
  findErasedWords,
  findForeignTombstones,
  findReturnedRecords,
} from './deletion-laws.queries.ts'
import { findLostDescent, findLostOrigins, findOneWayEdges } from './edge-laws.queries.ts'
import {
  findBrokenScoreChains,
  findBrokenStatusChains,
  findMiscountedAccesses,
  findRewrittenEpisodes,
  findStaleScores,
  findUnloggedVersions,
} from './history-laws.queries.ts'
import type { Law, Verdict } from './law.ts'
import {
  findFutureTimes,
  findLostSuccessors,
  findSalientHistory,
  findWrongExpiries,
  findWrongForgettings,
  findWrongPruneMoments,
  findWrongSaliences,
  findWrongSizes,
} from './lifecycle-laws.queries.ts'
import {
  findDisabledGuards,
  findStrayRuns,
  findUnlistedEpisodes,
  findWrongStoredAnswers,
} from './maintenance-laws.queries.ts'
import { findLostContents, findUnsearchable, findWrongIdentifiers } from './name-laws.queries.ts'
import { findMissingHandles } from './name-laws.service.ts'
import {
  findMiscountedPlans,
  findStrayEffects,
  findUnloggedUndos,
  findUnplannedChanges,
} from './plan-laws.queries.ts'
import {
  findForgottenTexts,
  findLostCells,
  findUnsignedVectors,
  findVectorsOfWrongSize,
  findWrongSurprises,
} from './vector-laws.queries.ts'

/** The cheapest laws first. A missing constraint or trigger explains most of the breaches after it. */
export const allLaws: readonly Law[] = [
  { name: 'guards', statement: 'constraints, indexes and triggers are in force', find: findDisabledGuards },
  { name: 'runs', statement: 'a running run has the lease of its job', find: findStrayRuns },
  {
    name: 'plans',
    statement: 'a plan is a dry run, and its counts are those of its list',
    find: findMiscountedPlans,
  },
  {
    name: 'applications',
    statement: 'what was applied of a plan is listed by it, and was applied once',
    find: findUnplannedChanges,
  },
  {
    name: 'effects',
    statement: 'kept rows belong to a plan, or to a run or revision that changed something',
    find: findStrayEffects,
  },
  { name: 'undos', statement: 'what was taken back is in the log of its record', find: findUnloggedUndos },
  {
    name: 'answers',
    statement: 'a stored answer is complete and expires after it was stored',
    find: findWrongStoredAnswers,
  },
  { name: 'tombstones', statement: 'all tombstones were made with one key', find: findForeignTombstones },
  { name: 'contents', statement: 'a record has contents of its own type', find: findLostContents },
  {
    name: 'salience',
    statement: 'stored salience is between the exact one and its base',
    find: findWrongSaliences,
  },
  { name: 'expiry', statement: 'a record expires at its maximum age', find: findWrongExpiries },
  {
    name: 'pruning',
    statement: 'prune_at is the moment when the record has faded',
    find: findWrongPruneMoments,
  },
  { name: 'times', statement: 'no time of a record is in the future', find: findFutureTimes },
  {
    name: 'forgetting',
    statement: 'a forgotten record was allowed to be forgotten, and its log says so',
    find: findWrongForgettings,
  },
  { name: 'sizes', statement: 'the size of a scope is that of its records', find: findWrongSizes },
  { name: 'history', statement: 'a replaced record has no salience', find: findSalientHistory },
  {
    name: 'successors',
    statement: 'a replaced record has an edge to its successor',
    find: findLostSuccessors,
  },
  { name: 'audit', statement: 'every version has an audit entry', find: findUnloggedVersions },
  { name: 'episodes', statement: 'only the outcome of an episode changes', find: findRewrittenEpisodes },
  {
    name: 'statuses',
    statement: 'each status change starts with the status before it',
    find: findBrokenStatusChains,
  },
  { name: 'scores', statement: 'each importance starts with the one before it', find: findBrokenScoreChains },
  {
    name: 'accesses',
    statement: 'the access log does not exceed the counters',
    find: findMiscountedAccesses,
  },
  { name: 'edges', statement: 'an edge with an inverse exists in both directions', find: findOneWayEdges },
  {
    name: 'descent',
    statement: 'a record has an edge to each record it was made from',
    find: findLostDescent,
  },
  {
    name: 'origins',
    statement: 'a derived record has descent, and a successor an edge to its predecessor',
    find: findLostOrigins,
  },
  { name: 'search', statement: 'a record can be searched by scope and type', find: findUnsearchable },
  {
    name: 'identifiers',
    statement: 'an entity owns the identifiers of its payload',
    find: findWrongIdentifiers,
  },
  { name: 'handles', statement: 'a record has every handle of its payload', find: findMissingHandles },
  {
    name: 'departures',
    statement: 'a purged or erased record is in no other table',
    find: findReturnedRecords,
  },
  { name: 'erasures', statement: 'no log contains words of an erased record', find: findErasedWords },
  { name: 'quotations', statement: 'no stored answer contains an erased record', find: findErasedAnswers },
  { name: 'vectors', statement: 'a vector has its signature', find: findUnsignedVectors },
  { name: 'cells', statement: 'the cell of a vector belongs to a set of its model', find: findLostCells },
  {
    name: 'precision',
    statement: 'the length of a vector fits its dimensions and bits',
    find: findVectorsOfWrongSize,
  },
  { name: 'embedding', statement: 'a text has a vector or waits for one', find: findForgottenTexts },
  { name: 'surprises', statement: 'a record is compared with its neighbours once', find: findWrongSurprises },
  {
    name: 'episode list',
    statement: 'an episode that was never consolidated is listed',
    find: findUnlistedEpisodes,
  },
  { name: 'importance', statement: 'stored importance is near the one computed now', find: findStaleScores },
]

type Resources = { db: Database; clock: Clock; laws?: readonly Law[] }

/**
 * Checks the store against each law, one after the other. Each law has its own read-only transaction with one
 * snapshot: other writers are not blocked and not seen half, and no snapshot is kept for longer than one law takes.
 */
export function createChecking({ db, clock, laws = allLaws }: Resources) {
  async function* check(): AsyncGenerator<Verdict> {
    for (const { name, statement, find } of laws) {
      const about = { name, statement }
      try {
        yield { ...about, ...(await read((tx) => find(tx, clock.now()))) }
      } catch (error) {
        if (!isStatementTimeout(error)) throw error
        yield { ...about, unchecked: 'the database took too long' }
      }
    }
  }

  async function read<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        await prepareForWholeTables(tx)
        return work(tx)
      })
  }

  return { check }
}
