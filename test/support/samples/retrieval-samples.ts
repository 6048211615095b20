import { sql } from 'kysely'
import * as remembering from '../../../src/embeddings/memory/vector-memory.queries.ts'
import * as indexing from '../../../src/embeddings/search/vector-index.queries.ts'
import * as searching from '../../../src/embeddings/search/vector-search.queries.ts'
import * as candidates from '../../../src/retrieval/candidates/candidates.queries.ts'
import * as columns from '../../../src/retrieval/candidates/record-columns.queries.ts'
import * as naming from '../../../src/retrieval/channels/name-search.queries.ts'
import * as periods from '../../../src/retrieval/channels/period-search.queries.ts'
import * as expansion from '../../../src/retrieval/expansion/expansion.queries.ts'
import * as filtering from '../../../src/retrieval/filters.queries.ts'
import * as instants from '../../../src/retrieval/instant/instant-state.queries.ts'
import * as pastRecords from '../../../src/retrieval/instant/past-record.queries.ts'
import * as prompting from '../../../src/retrieval/prompt/prompt-context.queries.ts'
import { type Question, readQuestion } from '../../../src/retrieval/question/question.ts'
import * as suppression from '../../../src/retrieval/suppression/suppression.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const trust = { maxSensitivity: 'low', scopes: ['team'] } as const
const question = readQuestion({}, trust, now)
const search: searching.VectorSearch = {
  modelId: 1,
  signature: '0101',
  conditions: filtering.listAnswerConditions(question, 'whole'),
  limit: 500,
}
const past = readQuestion({ as_of: '2025-06-01T00:00:00.000Z', min_salience: 0.1 }, trust, now)
const narrow = readQuestion(
  {
    memory_types: ['semantic'],
    mode: 'facts_only',
    layers: ['semantic'],
    scopes: ['team'],
    tags: ['a'],
    min_salience: 0.1,
    min_importance: 0.2,
    include_status: ['challenged'],
    include_expired: true,
  },
  trust,
  now,
)
const amongForgotten: Question = { ...question, includesForgotten: true }
const conditions = [sql<boolean>`r.forgotten_at is null`]

const check = { modelId: 1, ids: [id], conditions: search.conditions, snapshot: '700:705:701,703' }
const states = { salience: instants.computeSalienceAtInstant(question), found: new Map() }

const period = { ranges: [{ from: 0, until: 86_400_000 }], conditions, limit: 500 }

const named = { type: 'entity' as const, digests: [Buffer.alloc(16)], limit: 4, conditions }

const select =
  (compile: (question: Question) => readonly unknown[], input: Question): Sample =>
  (db) =>
    sql`select r.id from records as r where ${sql.join(compile(input), sql` and `)}`.execute(db)
const show =
  (compile: (question: Question) => unknown, input: Question): Sample =>
  (db) =>
    sql`select ${compile(input)} from records as r`.execute(db)

/** Queries of retrieval: channels, filters and expansion. */
export const retrievalSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/retrieval/filters.queries.ts': {
    listAnswerConditions: {
      'seen whole': select((input) => filtering.listAnswerConditions(input, 'whole'), question),
      'seen at all, every filter': select((input) => filtering.listAnswerConditions(input, 'any'), narrow),
      'of the past': select((input) => filtering.listAnswerConditions(input, 'whole'), past),
      'among forgotten records too': select(
        (input) => filtering.listAnswerConditions(input, 'whole'),
        amongForgotten,
      ),
    },
    listContextConditions: {
      now: select(filtering.listContextConditions, question),
      'of the past': select(filtering.listContextConditions, past),
    },
    listSuppressedConditions: select(filtering.listSuppressedConditions, narrow),
    listMatchingConditions: select((input) => filtering.listMatchingConditions(input, 'any'), question),
  },
  'src/retrieval/instant/instant-state.queries.ts': {
    isValidAtInstant: show(instants.isValidAtInstant, question),
    selectStatus: {
      now: show(instants.selectStatus, question),
      past: show(instants.selectStatus, past),
    },
    computeSalienceAtInstant: {
      now: show(instants.computeSalienceAtInstant, question),
      past: show(instants.computeSalienceAtInstant, past),
    },
  },
  'src/retrieval/candidates/candidates.queries.ts': {
    findCandidateStates: (db) => candidates.findCandidateStates(db, [id], question),
    findStatusChangedSince: (db) => candidates.findStatusChangedSince(db, past, conditions, 50),
  },
  'src/retrieval/channels/name-search.queries.ts': {
    findByNames: (db) =>
      naming.findByNames(db, { question, named: [id], conditions, maxPerKind: 50, limit: 50 }),
    findNamedEntities: (db) => naming.findNamedEntities(db, { question, digests: [], maxEntities: 16 }),
  },
  'src/retrieval/suppression/suppression.queries.ts': {
    findSuppressedStates: (db) => suppression.findSuppressedStates(db, [id], question),
  },
  'src/retrieval/instant/past-record.queries.ts': {
    findPastStates: (db) => pastRecords.findPastStates(db, [id], past),
  },
  'src/retrieval/candidates/record-columns.queries.ts': {
    isOfDays: show(() => columns.isOfDays([['2025-05-01', '2025-05-31']]), question),
  },
  'src/retrieval/channels/period-search.queries.ts': {
    isDated: show(periods.isDated, question),
    findMessagesInPeriods: {
      'in every scope': (db) => periods.findMessagesInPeriods(db, { ...period, scopes: undefined }),
      'in scopes': (db) => periods.findMessagesInPeriods(db, { ...period, scopes: ['team'] }),
    },
    findTimes: { 'of records': (db) => periods.findTimes(db, [id]) },
  },
  'src/retrieval/prompt/prompt-context.queries.ts': {
    findByHandles: {
      'in every scope': (db) => prompting.findByHandles(db, named),
      'in scopes': (db) => prompting.findByHandles(db, { ...named, scopes: ['team'] }),
    },
    findEntityNames: (db) => prompting.findEntityNames(db, [id], conditions),
    findNewerStates: (db) => prompting.findNewerStates(db, [id], conditions),
    findOpposites: (db) => prompting.findOpposites(db, [id], conditions),
    findDisputes: {
      now: (db) => prompting.findDisputes(db, [id], question, { conditions, limit: 100 }),
      'of the past': (db) => prompting.findDisputes(db, [id], past, { conditions, limit: 100 }),
    },
  },
  'src/retrieval/expansion/expansion.queries.ts': {
    findNeighbours: (db) => expansion.findNeighbours(db, [id], question, { conditions, maxPerKind: 25 }),
    findWithNeighbours: {
      now: (db) => expansion.findWithNeighbours(db, [id], question, { conditions, maxPerKind: 25 }),
      'of the past': (db) => expansion.findWithNeighbours(db, [id], past, { conditions, maxPerKind: 25 }),
    },
  },
  'src/embeddings/search/vector-search.queries.ts': {
    findAmongIndexed: (db) => searching.findAmongIndexed(db, search),
    findInCells: (db) => searching.findInCells(db, search, { cells: [0, 16_384], examined: 1_000 }),
    prepareLargeScan: (db) => db.transaction().execute((tx) => searching.prepareLargeScan(tx)),
    readSignatures: (db) => searching.readSignatures(db, { modelId: 1, conditions, scope: 'team' }),
    findCodes: (db) => searching.findCodes(db, 1, [id]),
    findNearestFiltered: (db) => db.transaction().execute((tx) => searching.findNearestFiltered(tx, search)),
    countInScopes: (db) => searching.countInScopes(db, ['team', ''], 501),
    findNearestInScopes: (db) => searching.findNearestInScopes(db, search, ['team', '']),
    findCode: (db) => searching.findCode(db, 1, id),
    measureSignatures: (db) => searching.measureSignatures(db),
  },
  'src/embeddings/memory/vector-memory.queries.ts': {
    readVectors: (db) => remembering.readVectors(db, { modelId: 1, after: id, limit: 1_000 }),
    readVectorIds: (db) => remembering.readVectorIds(db, { modelId: 1, after: id, limit: 1_000 }),
    checkVectors: {
      'with states': (db) => remembering.checkVectors(db, { ...check, states }),
      'without states': (db) => remembering.checkVectors(db, check),
    },
  },
  'src/embeddings/search/vector-index.queries.ts': {
    findExtension: (db) => indexing.findExtension(db),
    tryLockIndexing: async (db) => void (await indexing.tryLockIndexing(db)),
    unlockIndexing: (db) => indexing.unlockIndexing(db),
    createExtension: (db) => indexing.createExtension(db),
    dropNearestIndex: (db) => indexing.dropNearestIndex(db),
    createNearestIndex: (db) => indexing.createNearestIndex(db),
    createNearestFunction: (db) => indexing.createNearestFunction(db),
  },
}
