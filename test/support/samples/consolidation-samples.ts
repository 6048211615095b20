import * as walking from '../../../src/consolidation/episode-batches.queries.ts'
import * as compression from '../../../src/consolidation/episode-compression.queries.ts'
import * as extraction from '../../../src/consolidation/extraction/extraction.queries.ts'
import * as facts from '../../../src/consolidation/facts/facts.queries.ts'
import * as counting from '../../../src/consolidation/practices/practices.queries.ts'
import { competence } from '../../../src/consolidation/practices/skill.ts'
import type { Database } from '../../../src/db/connection.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const digest = Buffer.alloc(16, 1)
const [scope, sensitivity] = ['team', 'low'] as const
const due = { stage: 'semantic', scope: null, until: now, now } as const
const portion = { ...due, after: walking.start, limit: 1_000 }
const handle = { digest, detail: digest, place: null }
const key = { digest, handle: digest, scope, sensitivity }
const within = (ask: (tx: Transaction) => Promise<unknown>) => (db: Database) => db.transaction().execute(ask)

export const consolidationSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/consolidation/episode-batches.queries.ts': {
    countDue: {
      everywhere: (db) => walking.countDue(db, [due, { ...due, stage: 'episodic' }]),
      'in a scope': (db) => walking.countDue(db, [{ ...due, scope }]),
    },
    claimNext: {
      everywhere: within((tx) => walking.claimNext(tx, portion)),
      'in a scope': within((tx) => walking.claimNext(tx, { ...portion, scope })),
    },
    claimReadable: within((tx) => walking.claimReadable(tx, portion)),
    findEpisodes: within((tx) => walking.findEpisodes(tx, [id])),
    finish: within((tx) => walking.finish(tx, 'semantic', [id])),
    putOff: within((tx) => walking.putOff(tx, portion, 'why')),
    lockHandles: within((tx) => walking.lockHandles(tx, [{ digest, scope }])),
    beginPart: within((tx) => walking.beginPart(tx)),
    endPart: within((tx) => walking.beginPart(tx).then(() => walking.endPart(tx))),
    undoPart: within((tx) => walking.beginPart(tx).then(() => walking.undoPart(tx))),
  },
  'src/consolidation/episode-compression.queries.ts': {
    claimAged: within((tx) => compression.claimAged(tx, [id])),
    findPresent: within((tx) => compression.findPresent(tx, [id])),
    writeCompressed: within((tx) => compression.writeCompressed(tx, [], { finished: [id], now, runId: id })),
  },
  'src/consolidation/facts/facts.queries.ts': {
    findFacts: within((tx) => facts.findFacts(tx, [{ handle, scope, sensitivity }])),
    findWitnessed: within((tx) => facts.findWitnessed(tx, [id], [id])),
    findEntities: within((tx) => facts.findEntities(tx, [{ digest, scope, sensitivity }])),
    claimFacts: within((tx) => facts.claimFacts(tx, [id])),
    insertWitnesses: within((tx) => facts.insertWitnesses(tx, [], now)),
    writeReinforced: within((tx) => facts.writeReinforced(tx, [], { actor: 'a', now, runId: id })),
  },
  'src/consolidation/practices/practices.queries.ts': {
    findCounted: within((tx) => counting.findCounted(tx, 'competence', [id])),
    writeCounted: within((tx) => counting.writeCounted(tx, 'competence', [])),
    findPractices: within((tx) => counting.findPractices(tx, competence, [key])),
    countWaiting: within((tx) => counting.countWaiting(tx, 'competence', [key])),
    claimPractices: within((tx) => counting.claimPractices(tx, [id], 'performance')),
    writeLearnt: within((tx) =>
      counting.writeLearnt(tx, [], { actor: 'a', member: 'performance', now, runId: id }),
    ),
  },
  'src/consolidation/extraction/extraction.queries.ts': {
    releaseAll: within((tx) => extraction.releaseAll(tx)),
    keepClaimed: within((tx) => extraction.keepClaimed(tx, [id], now)),
    release: within((tx) => extraction.release(tx, [id])),
    lockHeld: within((tx) => extraction.lockHeld(tx, [id])),
    putOffHeld: within((tx) => extraction.putOffHeld(tx, { id, reason: 'why', now })),
    findSpent: (db) => extraction.findSpent(db, id),
  },
}
