import type { Database } from '../db/connection.ts'
import { isOverdue } from '../db/failures.ts'
import type { Clock } from '../kernel/clock.ts'
import { prepareForWholeTables } from './breaches.queries.ts'
import {
  findErasedAnswers,
  findErasedWords,
  findForeignTombstones,
  findReturned,
} from './deletion-laws.queries.ts'
import { findLostDescent, findLostOrigins, findOneWayEdges } from './edge-laws.queries.ts'
import {
  findBrokenScoreChains,
  findBrokenStatusChains,
  findMiscountedAccesses,
  findRewrittenEpisodes,
  findStaleScores,
  findUnloggedVersions,
} from './histories.queries.ts'
import type { Law, Verdict } from './law.ts'
import {
  findFutureTimes,
  findLostSuccessors,
  findUnzeroedHistory,
  findWrongExpiries,
  findWrongForgettings,
  findWrongPruneMoments,
  findWrongSaliences,
} from './lifecycle-laws.queries.ts'
import {
  findLiftedGuards,
  findStrayRuns,
  findUnlistedEpisodes,
  findWrongAnswers,
} from './maintenance-laws.queries.ts'
import { findLostContents, findUnsearchable, findWrongIdentifiers } from './name-laws.queries.ts'
import { findNameless } from './name-laws.service.ts'
import {
  findForgottenTexts,
  findMisshapenVectors,
  findUnsignedVectors,
  findWrongSurprises,
} from './vector-laws.queries.ts'

/** The cheapest first: what the database itself no longer guards explains most of what follows. */
export const allLaws: readonly Law[] = [
  { name: 'guards', says: 'constraints, indexes and triggers are in force', find: findLiftedGuards },
  { name: 'runs', says: 'a run that runs is what its job is leased for', find: findStrayRuns },
  { name: 'answers', says: 'an answer is kept whole and for a while', find: findWrongAnswers },
  { name: 'tombstones', says: 'all tombstones are of one key', find: findForeignTombstones },
  { name: 'contents', says: 'a record has its content, of its own type', find: findLostContents },
  { name: 'salience', says: 'salience is between the curve and its base', find: findWrongSaliences },
  { name: 'expiry', says: 'a record expires at its maximum age', find: findWrongExpiries },
  { name: 'pruning', says: 'a record is due when it has faded', find: findWrongPruneMoments },
  { name: 'times', says: 'nothing has happened in the future', find: findFutureTimes },
  { name: 'forgetting', says: 'what is forgotten may be, and is logged', find: findWrongForgettings },
  { name: 'history', says: 'what was replaced is worth nothing', find: findUnzeroedHistory },
  { name: 'successors', says: 'what was replaced leads to what replaced it', find: findLostSuccessors },
  { name: 'audit', says: 'every version has its entry', find: findUnloggedVersions },
  { name: 'episodes', says: 'of an episode only the outcome is set', find: findRewrittenEpisodes },
  { name: 'statuses', says: 'each status follows from the one before', find: findBrokenStatusChains },
  { name: 'scores', says: 'each score follows from the one before', find: findBrokenScoreChains },
  { name: 'accesses', says: 'accesses are counted as they are logged', find: findMiscountedAccesses },
  { name: 'edges', says: 'an edge with an inverse is there both ways', find: findOneWayEdges },
  { name: 'descent', says: 'a record is linked with what it was made from', find: findLostDescent },
  { name: 'origins', says: 'what was derived or replaced another has its origin', find: findLostOrigins },
  { name: 'search', says: 'a record is found by scope and type', find: findUnsearchable },
  { name: 'identifiers', says: 'an entity has the identifiers it says', find: findWrongIdentifiers },
  { name: 'handles', says: 'a record is known by all it is called', find: findNameless },
  { name: 'departures', says: 'what is gone is gone from everywhere', find: findReturned },
  { name: 'erasures', says: 'of what was erased no word is left', find: findErasedWords },
  { name: 'quotations', says: 'no kept answer quotes what was erased', find: findErasedAnswers },
  { name: 'vectors', says: 'a vector has its signature', find: findUnsignedVectors },
  { name: 'precision', says: 'a vector is as long as its bits say', find: findMisshapenVectors },
  { name: 'embedding', says: 'a text has its vector or waits for it', find: findForgottenTexts },
  { name: 'surprises', says: 'a record is compared once', find: findWrongSurprises },
  { name: 'episode list', says: 'what was never consolidated is listed', find: findUnlistedEpisodes },
  { name: 'importance', says: 'a score is near what it comes to now', find: findStaleScores },
]

type Resources = { db: Database; clock: Clock; laws?: readonly Law[] }

/**
 * Holds the store against each law, one after the other: each in a transaction that reads and of one snapshot, so that
 * what others write meanwhile is neither held up nor seen by half, and no snapshot is kept for longer than one takes.
 */
export function createChecking({ db, clock, laws = allLaws }: Resources) {
  async function* check(): AsyncGenerator<Verdict> {
    for (const { name, says, find } of laws) {
      const about = { name, says }
      try {
        yield { ...about, ...(await read((tx) => find(tx, clock.now()))) }
      } catch (error) {
        if (!isOverdue(error)) throw error
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
