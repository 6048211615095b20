import { sql } from 'kysely'
import { computeSalienceAt } from '../../../src/db/fragments/lifecycle/salience.ts'
import * as outdated from '../../../src/records/search-texts/outdated-texts.queries.ts'
import * as unembedded from '../../../src/records/search-texts/unembedded.queries.ts'
import * as remembering from '../../../src/retrieval/text/memory/text-memory.queries.ts'
import * as prefilter from '../../../src/retrieval/text/prefilter.queries.ts'
import * as scores from '../../../src/retrieval/text/score-columns.queries.ts'
import * as statistics from '../../../src/retrieval/text/statistics/word-statistics.queries.ts'
import * as stemming from '../../../src/retrieval/text/stems/stemming.queries.ts'
import * as forms from '../../../src/retrieval/text/stems/word-forms.queries.ts'
import * as surroundings from '../../../src/retrieval/text/surroundings/surroundings.queries.ts'
import * as requirements from '../../../src/retrieval/text/text-requirements.queries.ts'
import * as text from '../../../src/retrieval/text/text-search.queries.ts'
import * as words from '../../../src/retrieval/text/word-conditions.queries.ts'
import * as occurrences from '../../../src/retrieval/text/word-occurrences.queries.ts'
import type { Sample } from './deletion-samples.ts'

const trust = { maxSensitivity: 'low', scopes: ['team'] } as const
const search: text.TextSearch = {
  trust,
  conditions: [],
  textLanguage: 'english',
  limit: 10,
  remarked: new Set(['test']),
  query: { alternatives: 'flaky test', phrases: ['flaky test'], excluded: ['unit'] },
  store: { rows: 100_000, averageLength: 30 },
  filterWords: [['scope team', 'scope ']],
}
const rare = [{ word: 'flaki', count: null }]
const common = [{ word: 'test', count: 30_000 }]
const related = [
  { word: 'flake', of: 'flaki', weight: 0.8, isCorrection: true },
  { word: 'unreli', of: 'flaki', weight: 0.3 },
]
const sets = [['test', 'unit'], ['run']]
const id = '0197b9a0-0000-7000-8000-000000000001'
const kept = [sql<boolean>`r.forgotten_at is null`]
const check = {
  trust,
  ids: [id],
  answerConditions: kept,
  contextConditions: kept,
  snapshot: '700:705:701,703',
}
const states = { salience: computeSalienceAt(new Date('2026-01-01T00:00:00.000Z')), found: new Map() }
const among = { newest: 500, ids: [id], others: rare }

export const textSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/records/search-texts/outdated-texts.queries.ts': {
    hasOutdatedTexts: (db) => outdated.hasOutdatedTexts(db),
    listOutdatedIds: (db) => outdated.listOutdatedIds(db, { after: id, limit: 20 }),
    lockOutdated: (db) => outdated.lockOutdated(db, [id]),
    findOutdated: (db) => outdated.findOutdated(db, [id]),
    rewriteTexts: (db) =>
      outdated.rewriteTexts(db, [{ id, words: { text: 'flaky test', count: 2 } }], {
        now: new Date('2026-01-01T00:00:00.000Z'),
        textLanguage: 'english',
      }),
  },
  'src/records/search-texts/unembedded.queries.ts': {
    queueForEmbedding: (db) => unembedded.queueForEmbedding(db, [id], new Date('2026-01-01T00:00:00.000Z')),
  },
  'src/retrieval/text/text-search.queries.ts': {
    findByWords: {
      '': (db) => text.findByWords(db, search, { words: rare, scoringOnly: common }),
      'among forgotten records too': (db) =>
        text.findByWords(db, { ...search, includesForgotten: true }, { words: rare, scoringOnly: common }),
      'with related words': (db) =>
        text.findByWords(db, search, { words: rare, scoringOnly: common, related }),
    },
    findByCombinations: (db) => text.findByCombinations(db, search, common, { sets, others: rare }),
    findInSubset: {
      '': (db) => text.findInSubset(db, search, common, among),
      'of no rare words': (db) => text.findInSubset(db, search, common, { ...among, others: [] }),
    },
  },
  'src/retrieval/text/word-conditions.queries.ts': {
    containsAny: (db) => sql`select ${words.containsAny(search, rare)} from contents as c`.execute(db),
    containsSet: (db) => sql`select ${words.containsSet(search, sets)} from contents as c`.execute(db),
    andNone: (db) => sql`select true ${words.andNone(rare)} from contents as c`.execute(db),
  },
  'src/retrieval/text/score-columns.queries.ts': {
    selectScoreColumns: (db) => {
      const { length, knownScore } = scores.selectScoreColumns(
        { words: [...rare, ...common], ...search, related },
        search.store,
      )
      return sql`select ${length} as length, ${knownScore} as known from contents as c`.execute(db)
    },
  },
  'src/retrieval/text/prefilter.queries.ts': {
    prefilterByIndex: {
      'by a phrase': (db) => prefilter.prefilterByIndex(db, search, kept),
      'by tags and words': (db) =>
        prefilter.prefilterByIndex(
          db,
          { ...search, query: { ...search.query, phrases: [] }, tags: ['test'], words: ['type semantic'] },
          kept,
        ),
    },
    prefilterAll: (db) => prefilter.prefilterAll(db, kept),
  },
  'src/retrieval/text/text-requirements.queries.ts': {
    listTextRequirements: (db) =>
      sql`select ${sql.join(requirements.listTextRequirements(search))} from contents as c`.execute(db),
    listRecordRequirements: (db) =>
      sql`select ${sql.join(requirements.listRecordRequirements(search))} from records as r`.execute(db),
    listRequiredPhrases: (db) =>
      sql`select ${sql.join(requirements.listRequiredPhrases(search))} from contents as c`.execute(db),
    listRequiredQueries: (db) =>
      sql`select ${sql.join(requirements.listRequiredQueries(search))}`.execute(db),
  },
  'src/retrieval/text/word-occurrences.queries.ts': {
    selectOccurrences: (db) =>
      sql`select ${occurrences.selectOccurrences('flaki', (count) => count)} from contents as c`.execute(db),
  },
  'src/retrieval/text/surroundings/surroundings.queries.ts': {
    findMessagesAround: (db) =>
      surroundings.findMessagesAround(db, [id], [sql<boolean>`r.forgotten_at is null`], 4),
    readWordsAround: (db) => {
      const search = {
        contextConditions: [sql<boolean>`r.forgotten_at is null`],
        distance: 4,
        answerConditions: [sql<boolean>`r.importance > 0`],
        requirements: [sql`c.words > 1`],
      }
      return surroundings.readWordsAround(db, [id], ['flaki', 'test'], search)
    },
  },
  'src/retrieval/text/memory/text-memory.queries.ts': {
    readTexts: (db) => remembering.readTexts(db, id, 250),
    readUnforgottenIds: (db) => remembering.readUnforgottenIds(db, id, 2_000),
    checkTexts: {
      'with states': (db) => remembering.checkTexts(db, { ...check, states }),
      'without states': (db) => remembering.checkTexts(db, check),
    },
  },
  'src/retrieval/text/stems/stemming.queries.ts': {
    findStems: (db) => stemming.findStems(db, ['flaky', 'tests'], 'english'),
  },
  'src/retrieval/text/statistics/word-statistics.queries.ts': {
    countPages: (db) => statistics.countPages(db),
    readWordStatistics: (db) => statistics.readWordStatistics(db),
    measureVisible: (db) => statistics.measureVisible(db, trust),
    countVisible: (db) => statistics.countVisible(db, trust, ['ferry', 'porto']),
  },
  'src/retrieval/text/stems/word-forms.queries.ts': {
    findWordsWithBeginnings: (db) => forms.findWordsWithBeginnings(db, { trust }, ['ferri', 'porto']),
  },
}
