/** For each rule of .dependency-cruiser.cjs, a file that breaks it; the text is what the file holds. */
export type Planting = { rule: string; file: string; text: string }

/** What the planted files import, so that an import fails its rule and not its resolution. */
export const ground: Record<string, string> = {
  'package.json':
    '{ "type": "module", "dependencies": { "pg": "8", "kysely": "0.28", "bullmq": "6", "fastify": "5", "openai": "7", "prom-client": "15" } }',
  'tsconfig.json':
    '{ "compilerOptions": { "module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true } }',
  'src/main.ts': 'export const started = true',
  'src/services.ts': 'export const services = {}',
  'src/config.ts': 'export const config = {}',
  'src/kernel/clock.ts': 'export const clock = {}',
  'src/db/connection.ts': 'export const connection = {}',
  'src/db/hen.ts': "export type { Again } from './egg.ts'",
  'src/http/app.ts': 'export const app = {}',
  'src/http/etag.ts': 'export const etag = {}',
  'src/jobs/queue.ts': 'export const queue = {}',
  'src/models/chat.ts': 'export const chat = {}',
  'src/process/supervisor.ts': 'export const supervisor = {}',
  'src/telemetry/registry.ts': 'export const registry = {}',
  'src/records/index.ts': "export * from './service.ts'",
  'src/records/service.ts': 'export const create = () => {}',
  'src/records/listing/queries.ts': "import pg from 'pg'\nexport const list = pg",
  'src/dream/index.ts': 'export const dream = {}',
  'src/dream/clusters.ts': 'export const clusters = []',
  'src/decay/index.ts': 'export const decay = {}',
  'src/maintenance/index.ts': 'export const maintenance = {}',
  'src/metrics/index.ts': 'export const metrics = {}',
  'migrations/0001.ts': 'export const up = () => {}',
  'bench/run.ts': 'export const run = () => {}',
}

const uses = (specifier: string) => `import * as used from '${specifier}'\nexport const again = used\n`
const usesType = (specifier: string) =>
  `import type * as used from '${specifier}'\nexport type Again = typeof used\n`

const levels = [
  ['policies', 'keys'],
  ['records'],
  ['relations'],
  ['revision', 'decay'],
  ['cognition'],
  ['embeddings'],
  ['entities'],
  ['retrieval'],
  ['capture'],
  ['consolidation', 'dream', 'portability'],
  ['maintenance', 'metrics', 'checking'],
] as const

/** Every room reaches for the last ones, and these for each other. */
const upward: Planting[] = levels.flatMap((level) =>
  level.map((room) => ({
    rule: `order-of-${level.join('-and-')}`,
    file: `src/${room}/above/service.ts`,
    text: uses(room === 'metrics' ? '../../maintenance/index.ts' : '../../metrics/index.ts'),
  })),
)

export const plantings: Planting[] = [
  { rule: 'no-cycles', file: 'src/db/egg.ts', text: usesType('./hen.ts') },
  { rule: 'resolvable', file: 'src/db/lost.ts', text: uses('./nowhere.ts') },
  { rule: 'product-knows-only-itself', file: 'src/db/measured.ts', text: uses('../../bench/run.ts') },
  { rule: 'product-runs-on-its-dependencies', file: 'src/db/laws.ts', text: uses('fast-check') },
  { rule: 'migrations-are-frozen', file: 'migrations/0002.ts', text: usesType('../src/db/connection.ts') },
  { rule: 'kernel-imports-nothing', file: 'src/kernel/files.ts', text: uses('node:fs') },
  { rule: 'kernel-imports-nothing', file: 'src/kernel/stored.ts', text: usesType('../db/connection.ts') },
  { rule: 'kernel-imports-nothing', file: 'src/kernel/packaged.ts', text: uses('kysely') },
  { rule: 'db-stands-on-the-kernel', file: 'src/db/tagged.ts', text: uses('../http/etag.ts') },
  { rule: 'jobs-know-no-http', file: 'src/jobs/tagged.ts', text: uses('../http/etag.ts') },
  { rule: 'http-knows-no-jobs', file: 'src/http/queued.ts', text: uses('../jobs/queue.ts') },
  { rule: 'mechanisms-know-no-room', file: 'src/http/recording.ts', text: uses('../records/index.ts') },
  { rule: 'mechanisms-know-no-room', file: 'src/jobs/recording.ts', text: usesType('../records/index.ts') },
  { rule: 'mechanisms-know-no-room', file: 'src/models/recording.ts', text: usesType('../records/index.ts') },
  { rule: 'models-know-no-mechanism', file: 'src/models/stored.ts', text: usesType('../db/connection.ts') },
  { rule: 'models-know-no-mechanism', file: 'src/models/tagged.ts', text: uses('../http/etag.ts') },
  { rule: 'mechanisms-ask-no-model', file: 'src/jobs/asking.ts', text: uses('../models/chat.ts') },
  { rule: 'resources-are-passed-in', file: 'src/models/settings.ts', text: usesType('../config.ts') },
  { rule: 'resources-are-passed-in', file: 'src/records/jobs.ts', text: usesType('../config.ts') },
  { rule: 'resources-are-passed-in', file: 'src/http/settings.ts', text: uses('../config.ts') },
  { rule: 'only-tops-compose', file: 'src/records/routes.ts', text: uses('../services.ts') },
  { rule: 'only-tops-serve', file: 'src/process/listening.ts', text: uses('../http/app.ts') },
  { rule: 'only-main-supervises', file: 'src/jobs/children.ts', text: uses('../process/supervisor.ts') },
  { rule: 'nothing-imports-main', file: 'src/process/again.ts', text: uses('../main.ts') },
  { rule: 'rooms-meet-at-the-door', file: 'src/dream/service.ts', text: uses('../records/service.ts') },
  { rule: 'compose-through-doors', file: 'src/services.ts', text: uses('./dream/clusters.ts') },
  ...upward,
  {
    rule: 'order-of-revision-and-decay',
    file: 'src/revision/beside/service.ts',
    text: usesType('../../decay/index.ts'),
  },
  { rule: 'pure-files-are-pure', file: 'src/decay/clocked.ts', text: uses('node:timers/promises') },
  { rule: 'pure-files-are-pure', file: 'src/decay/stored.ts', text: uses('../db/connection.ts') },
  { rule: 'pure-files-are-pure', file: 'src/decay/asking.ts', text: uses('../models/chat.ts') },
  { rule: 'pure-files-are-pure', file: 'src/decay/serving.ts', text: uses('../records/index.ts') },
  { rule: 'pure-files-need-no-package', file: 'src/decay/packaged.ts', text: uses('pg') },
  { rule: 'use-cases-know-no-http', file: 'src/decay/service.ts', text: uses('../http/etag.ts') },
  { rule: 'only-queries-speak-sql', file: 'src/retrieval/service.ts', text: uses('kysely') },
  { rule: 'only-queries-speak-sql', file: 'src/retrieval/text/service.ts', text: uses('kysely') },
  { rule: 'pure-files-are-pure', file: 'src/decay/laws/stored.ts', text: uses('../../db/connection.ts') },
  { rule: 'rooms-meet-at-the-door', file: 'src/dream/jobs.ts', text: uses('../records/listing/queries.ts') },
  { rule: 'only-queries-speak-sql', file: 'src/capture/routes.ts', text: uses('pg') },
  { rule: 'only-jobs-know-the-queue', file: 'src/dream/routes.ts', text: uses('bullmq') },
  { rule: 'only-models-know-openai', file: 'src/decay/thinking/service.ts', text: usesType('openai') },
  { rule: 'only-models-know-openai', file: 'src/jobs/thinking.ts', text: uses('openai') },
  {
    rule: 'only-telemetry-knows-its-packages',
    file: 'src/http/counting.ts',
    text: uses('prom-client'),
  },
  { rule: 'telemetry-stands-on-the-kernel', file: 'src/telemetry/stored.ts', text: usesType('../db/hen.ts') },
  { rule: 'nobody-knows-telemetry', file: 'src/jobs/watched.ts', text: uses('../telemetry/registry.ts') },
  { rule: 'only-http-knows-fastify', file: 'src/capture/service.ts', text: usesType('fastify') },
]
