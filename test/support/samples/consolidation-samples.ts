import { sql } from 'kysely'
import * as compression from '../../../src/consolidation/compression/episode-compression.queries.ts'
import * as walking from '../../../src/consolidation/episode-batches.queries.ts'
import { insertEpisodeLinks } from '../../../src/consolidation/episode-links.queries.ts'
import * as extraction from '../../../src/consolidation/extraction/extraction.queries.ts'
import * as facts from '../../../src/consolidation/facts/facts.queries.ts'
import { lockHandles } from '../../../src/consolidation/handle-locks.queries.ts'
import * as counting from '../../../src/consolidation/practices/practices.queries.ts'
import { skillKind } from '../../../src/consolidation/practices/skill.ts'
import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import { startPosition } from '../../../src/jobs/runs/run-walk.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const digest = Buffer.alloc(16, 1)
const [scope, sensitivity] = ['team', 'low'] as const
const due = { stage: 'semantic', scope: null, until: now, now } as const
const portion = { ...due, after: startPosition, limit: 1_000 }
const handle = { digest, detail: digest, place: null }
const key = { digest, handle: digest, scope, sensitivity }
const within = (ask: (tx: Transaction) => Promise<unknown>) => (db: Database) => db.transaction().execute(ask)

export const consolidationSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/consolidation/episode-batches.queries.ts': {
    countDue: {
      everywhere: (db) => walking.countDue(db, [due, { ...due, stage: 'episodic' }]),
      'in a scope': (db) => walking.countDue(db, [{ ...due, scope }]),
    },
    claimEpisodes: {
      everywhere: within((tx) => walking.claimEpisodes(tx, portion)),
      'in a scope': within((tx) => walking.claimEpisodes(tx, { ...portion, scope })),
    },
    claimReadableEpisodes: {
      everywhere: within((tx) => walking.claimReadableEpisodes(tx, portion)),
      'of half of the scopes': within((tx) => walking.claimReadableEpisodes(tx, { ...portion, half: 1 })),
    },
    findEpisodes: within((tx) => walking.findEpisodes(tx, [id])),
    deleteUnconsolidated: within((tx) => walking.deleteUnconsolidated(tx, 'semantic', [id])),
    postponeNext: within((tx) => walking.postponeNext(tx, portion, 'why')),
    setPostponed: (db) =>
      sql`update unconsolidated as u set ${walking.setPostponed(sql`u.attempts`, { reason: 'why', now })}`.execute(
        db,
      ),
  },
  'src/consolidation/handle-locks.queries.ts': {
    lockHandles: within((tx) => lockHandles(tx, [{ digest, scope }])),
  },
  'src/consolidation/episode-links.queries.ts': {
    insertEpisodeLinks: {
      'of no run that keeps rows': within((tx) => insertEpisodeLinks(tx, [], now)),
      'of a run that keeps rows': within((tx) => insertEpisodeLinks(tx, [], now, id)),
    },
  },
  'src/consolidation/compression/episode-compression.queries.ts': {
    claimCompressionCandidates: within((tx) => compression.claimCompressionCandidates(tx, [id])),
    findExistingIds: within((tx) => compression.findExistingIds(tx, [id])),
    writeCompressed: within((tx) =>
      compression.writeCompressed(tx, [], { finished: [id], now, runId: id, savesEffects: true }),
    ),
  },
  'src/consolidation/facts/facts.queries.ts': {
    findFacts: within((tx) => facts.findFacts(tx, [{ handle, scope, sensitivity }])),
    findObservations: within((tx) => facts.findObservations(tx, [id], [id])),
    findStatedFacts: within((tx) => facts.findStatedFacts(tx, [id])),
    findEntities: within((tx) => facts.findEntities(tx, [{ digest, scope, sensitivity }])),
    lockSources: within((tx) => facts.lockSources(tx, [id])),
    claimFacts: within((tx) => facts.claimFacts(tx, [id])),
    writeReinforced: within((tx) => facts.writeReinforced(tx, [], { actor: 'a', now, runId: id })),
  },
  'src/consolidation/practices/practices.queries.ts': {
    findCounted: within((tx) => counting.findCounted(tx, 'competence', [id])),
    writeCounted: within((tx) => counting.writeCounted(tx, 'competence', [])),
    findPractices: within((tx) => counting.findPractices(tx, skillKind, [key])),
    countPending: within((tx) => counting.countPending(tx, 'competence', [key])),
    claimPractices: within((tx) => counting.claimPractices(tx, [id], 'performance')),
    writeUpdatedPractices: within((tx) =>
      counting.writeUpdatedPractices(tx, [], { actor: 'a', countsField: 'performance', now, runId: id }),
    ),
  },
  'src/consolidation/extraction/extraction.queries.ts': {
    releaseAllClaims: within((tx) => extraction.releaseAllClaims(tx)),
    claimUntil: within((tx) => extraction.claimUntil(tx, [id], now)),
    releaseClaims: within((tx) => extraction.releaseClaims(tx, [id])),
    lockClaimed: within((tx) => extraction.lockClaimed(tx, [id])),
    postponeClaimed: within((tx) => extraction.postponeClaimed(tx, { id, reason: 'why', now })),
  },
}
