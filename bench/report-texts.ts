/** The question that each benchmark answers, under its heading on the page. */
export const questions: Readonly<Record<string, string>> = {
  'capture-growing': 'Does a capture become slower when the store grows?',
  'capture-storing': 'How many captures a second are stored over HTTP?',
  consolidation: 'How fast do episodes become facts, competences and plan graphs?',
  conversations: 'How many messages a second are stored over HTTP?',
  decay: 'How long do a decay sweep and the removal of faded records take?',
  dream: 'How fast are groups of similar records found?',
  embeddings: 'How fast and how completely are the nearest vectors found in the database, without pgvector?',
  importance: 'How fast is the importance of every record computed again?',
  jobs: 'How soon does a requested run start?',
  plans: 'How long do planning, applying and undoing maintenance take?',
  portability: 'How fast are an export and an import, and how much memory do they take?',
  'portability-foreign': 'How fast are files of other programs imported?',
  'records-creating': 'How many records a second are created over HTTP?',
  'records-reading': 'How long do a read and a list take, and does it depend on the size of the store?',
  'records-starting': 'How long does `npm start` take?',
  'records-storing': 'How much space does a record take?',
  retrieval:
    'How long does a search for given words take, compared with plain SQL, and while a sweep runs?',
  'retrieval-natural': 'How long do natural questions about conversations take?',
  simulation: 'How long does a simulation take?',
  size: 'What becomes slower between one and ten million messages?',
  surprise: 'How fast are new records compared with others of their scope?',
  'surviving-killing': 'How long is the service unavailable after a crash, and is anything lost?',
  'surviving-readable': 'How soon after a write is the record found?',
  tenants: 'How much time and memory do a thousand tenants take?',
  'tenants-fairness': 'Does the work of a large tenant delay a small one?',
}

/** The figures that most readers look for, by benchmark and by the work that it measured. */
export const mainFigures: readonly (readonly [what: string, benchmark: string, work: string])[] = [
  ['`npm start` until ready', 'records-starting', 'start to ready, embedded, later (median of 5)'],
  ['create records, 16 clients', 'records-creating', 'create over HTTP, concurrency 16'],
  ['capture texts, 16 clients', 'capture-storing', 'capture over HTTP, concurrency 16'],
  ['read one of 1,000,000 records, p95', 'records-reading', 'read by id, 1,000,000 records, p95'],
  [
    'list a page of 1,000,000 records by salience, p95',
    'records-reading',
    'list by salience, 1,000,000 records, p95',
  ],
  [
    '`/v1/retrieve` among 100,000 messages, p95',
    'retrieval-natural',
    'retrieve, natural questions, 100,000 messages, p95',
  ],
  [
    '`/v1/retrieve` among 100,000 messages, 16 clients',
    'retrieval-natural',
    'retrieve, natural questions, 100,000 messages, concurrency 16',
  ],
  [
    '`/v1/retrieve` among 1,000,000 messages, p95',
    'size',
    'retrieve, natural questions, 1,000,000 messages, p95',
  ],
  [
    '`/v1/context` of 1,500 tokens among 100,000 messages, p95',
    'retrieval-natural',
    'context, natural questions, 1,500 tokens, 100,000 messages, p95',
  ],
  [
    'from a write until it is found by its words, p95',
    'surviving-readable',
    'write to readable by text, p95',
  ],
  ['decay sweep of 1,000,000 records, all due', 'decay', 'decay sweep, 1M records, every row due'],
  ['decay sweep of 1,000,000 records, nothing due', 'decay', 'decay sweep, nothing due, 1M records'],
  ['export records of 1 KB', 'portability', 'export, 1,000,000 records of 1 KB'],
  ['import records of 1 KB', 'portability', 'import, 1,000,000 records of 1 KB'],
  [
    'on disk for each record of 1 KB, without its vector',
    'records-storing',
    'bytes per record, 1 KB payload, all indexes, no vector',
  ],
  [
    'from a crash of all processes until served again',
    'surviving-killing',
    'kill -9 of all processes, database too under 8 writers, until served again (median of 3)',
  ],
]
