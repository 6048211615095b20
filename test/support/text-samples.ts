import * as text from '../../src/retrieval/text/queries.ts'
import type { Sample } from './departing-samples.ts'

const search: text.Search = {
  trust: { maxSensitivity: 'low', scopes: ['team'] },
  conditions: [],
  query: { wanted: 'flaky test', phrases: ['flaky test'], excluded: ['unit'] },
  textLanguage: 'english',
  store: { rows: 100_000, averageLength: 30 },
  required: [['scope team', 'scope ']],
  rare: [{ word: 'flaki', share: null }],
  common: [{ word: 'test', share: 0.3 }],
  newest: 10_000,
  limit: 10,
}

export const textSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/retrieval/text/queries.ts': {
    readWords: (db) => text.readWords(db, 'flaky test', 'english'),
    weighWords: (db) => text.weighWords(db, ['flaki', 'test']),
    findByText: {
      '': (db) => text.findByText(db, search),
      'of rare words': (db) => text.findByText(db, { ...search, common: [] }),
    },
  },
}
