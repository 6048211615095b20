import type { Database } from '../db/connection.ts'
import { isStatementTimeout } from '../db/failures.ts'
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
  findForgottenTexts,
  findMisshapenVectors,
  findUnsignedVectors,
  findWrongSurprises,
} from './vector-laws.queries.ts'

/** The cheapest first: what the database itself no longer guards explains most of what follows. */
export const allLaws: readonly Law[] = [
  { name: 'guards', statement: 'constraints, indexes and triggers are in force', find: findDisabledGuards },
  { name: 'runs', statement: 'a run that runs is what its job is leased for', find: findStrayRuns },
  { name: 'answers', statement: 'an answer is kept whole and for a while', find: findWrongStoredAnswers },
  { name: 'tombstones', statement: 'all tombstones are of one key', find: findForeignTombstones },
  { name: 'contents', statement: 'a record has its content, of its own type', find: findLostContents },
  { name: 'salience', statement: 'salience is between the curve and its base', find: findWrongSaliences },
  { name: 'expiry', statement: 'a record expires at its maximum age', find: findWrongExpiries },
  { name: 'pruning', statement: 'a record is due when it has faded', find: findWrongPruneMoments },
  { name: 'times', statement: 'nothing has happened in the future', find: findFutureTimes },
  { name: 'forgetting', statement: 'what is forgotten may be, and is logged', find: findWrongForgettings },
  { name: 'history', statement: 'what was replaced is worth nothing', find: findSalientHistory },
  { name: 'successors', statement: 'what was replaced leads to what replaced it', find: findLostSuccessors },
  { name: 'audit', statement: 'every version has its entry', find: findUnloggedVersions },
  { name: 'episodes', statement: 'of an episode only the outcome is set', find: findRewrittenEpisodes },
  { name: 'statuses', statement: 'each status follows from the one before', find: findBrokenStatusChains },
  { name: 'scores', statement: 'each score follows from the one before', find: findBrokenScoreChains },
  { name: 'accesses', statement: 'accesses are counted as they are logged', find: findMiscountedAccesses },
  { name: 'edges', statement: 'an edge with an inverse is there both ways', find: findOneWayEdges },
  { name: 'descent', statement: 'a record is linked with what it was made from', find: findLostDescent },
  {
    name: 'origins',
    statement: 'what was derived or replaced another has its origin',
    find: findLostOrigins,
  },
  { name: 'search', statement: 'a record is found by scope and type', find: findUnsearchable },
  { name: 'identifiers', statement: 'an entity has the identifiers it says', find: findWrongIdentifiers },
  { name: 'handles', statement: 'a record is known by all it is called', find: findMissingHandles },
  { name: 'departures', statement: 'what is gone is gone from everywhere', find: findReturnedRecords },
  { name: 'erasures', statement: 'of what was erased no word is left', find: findErasedWords },
  { name: 'quotations', statement: 'no kept answer quotes what was erased', find: findErasedAnswers },
  { name: 'vectors', statement: 'a vector has its signature', find: findUnsignedVectors },
  { name: 'precision', statement: 'a vector is as long as its bits say', find: findMisshapenVectors },
  { name: 'embedding', statement: 'a text has its vector or waits for it', find: findForgottenTexts },
  { name: 'surprises', statement: 'a record is compared once', find: findWrongSurprises },
  { name: 'episode list', statement: 'what was never consolidated is listed', find: findUnlistedEpisodes },
  { name: 'importance', statement: 'a score is near what it comes to now', find: findStaleScores },
]

type Resources = { db: Database; clock: Clock; laws?: readonly Law[] }

/**
 * Holds the store against each law, one after the other: each in a transaction that reads and of one snapshot, so that
 * what others write meanwhile is neither held up nor seen by half, and no snapshot is kept for longer than one takes.
 */
export function createChecking({ db, clock, laws = allLaws }: Resources) {
  async function* check(): AsyncGenerator<Verdict> {
    for (const { name, statement, find } of laws) {
      const about = { name, statement }
      try {
        yield { ...about, ...(await read((tx) => find(tx, clock.now()))) }
      } catch (error) {
        if (!isStatementTimeout(error)) throw error
        yield { ...about, unchecked: 'it took the database too long' }
      }
    }
  }

  async function read<T>(work: (tx: Database) => Promise<T>): Promise<T> {
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
