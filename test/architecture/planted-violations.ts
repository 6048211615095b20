/** A file that breaks a rule of .dependency-cruiser.cjs; `text` is its content. */
export type PlantedViolation = { rule: string; file: string; text: string }

/** Valid files that the planted ones import, so that only the planted rule is broken. */
export const validFiles: Record<string, string> = {
  'package.json':
    '{ "type": "module", "dependencies": { "pg": "8", "kysely": "0.28", "bullmq": "6", "fastify": "5", "openai": "7", "prom-client": "15", "@modelcontextprotocol/server": "2" } }',
  'tsconfig.json':
    '{ "compilerOptions": { "module": "nodenext", "allowImportingTsExtensions": true, "noEmit": true } }',
  'src/main.ts': 'export const started = true',
  'src/services.ts': 'export const services = {}',
  'src/config/config.ts': 'export const config = {}',
  'src/kernel/clock.ts': 'export const clock = {}',
  'src/domain/curves.ts': 'export const curves = {}',
  'src/db/connection.ts': 'export const connection = {}',
  'src/db/hen.ts': "export type { Again } from './egg.ts'",
  'src/http/app.ts': 'export const app = {}',
  'src/http/etag.ts': 'export const etag = {}',
  'src/jobs/queue.ts': 'export const queue = {}',
  'src/llm/chat.ts': 'export const chat = {}',
  'src/process/supervision/supervisor.ts': 'export const supervisor = {}',
  'src/telemetry/registry.ts': 'export const registry = {}',
  'src/records/index.ts': "export * from './records.service.ts'",
  'src/records/records.service.ts': 'export const create = () => {}',
  'src/records/listing/list.queries.ts': "import pg from 'pg'\nexport const list = pg",
  'src/console/index.ts': 'export const files = {}',
  'src/console/browser/plots/curve.js': 'export const curve = {}',
  'src/dream/index.ts': 'export const dream = {}',
  'src/dream/clusters.ts': 'export const clusters = []',
  'src/lifecycle/index.ts': 'export const decay = {}',
  'src/maintenance/index.ts': 'export const maintenance = {}',
  'src/metrics/index.ts': 'export const metrics = {}',
  'src/plans/index.ts': 'export const plans = {}',
  'migrations/0001.ts': 'export const up = () => {}',
  'bench/run.ts': 'export const run = () => {}',
  'clients/typescript/src/index.ts': 'export const client = {}',
}

const uses = (specifier: string) => `import * as used from '${specifier}'\nexport const again = used\n`
const usesType = (specifier: string) =>
  `import type * as used from '${specifier}'\nexport type Again = typeof used\n`

const levels = [
  ['policies', 'keys', 'effects'],
  ['records'],
  ['relations'],
  ['revision', 'lifecycle'],
  ['embeddings'],
  ['entities'],
  ['retrieval'],
  ['capture', 'conversations', 'regrets'],
  ['consolidation', 'dream', 'portability', 'simulation', 'undo'],
  ['maintenance'],
  ['metrics', 'checking', 'plans', 'mcp', 'console', 'tenants'],
] as const

/** Every room imports a room of the highest level, and a room of the highest level imports its neighbour. */
const upward: PlantedViolation[] = levels.flatMap((level) =>
  level.map((room) => ({
    rule: `order-of-${level.join('-and-')}`,
    file: `src/${room}/above.service.ts`,
    text: uses(room === 'metrics' ? '../plans/index.ts' : '../metrics/index.ts'),
  })),
)

/** At least one violation for each rule. */
export const plantedViolations: PlantedViolation[] = [
  { rule: 'no-cycles', file: 'src/db/egg.ts', text: usesType('./hen.ts') },
  { rule: 'resolvable', file: 'src/db/lost.ts', text: uses('./nowhere.ts') },
  { rule: 'product-imports-no-tools', file: 'src/db/measured.ts', text: uses('../../bench/run.ts') },
  { rule: 'product-imports-no-dev-packages', file: 'src/db/laws.ts', text: uses('fast-check') },
  {
    rule: 'migrations-import-nothing',
    file: 'migrations/0002.ts',
    text: usesType('../src/db/connection.ts'),
  },
  { rule: 'kernel-imports-nothing', file: 'src/kernel/files.ts', text: uses('node:fs') },
  { rule: 'kernel-imports-nothing', file: 'src/kernel/stored.ts', text: usesType('../db/connection.ts') },
  { rule: 'kernel-imports-nothing', file: 'src/kernel/packaged.ts', text: uses('kysely') },
  { rule: 'domain-imports-kernel-only', file: 'src/domain/stored.ts', text: usesType('../db/connection.ts') },
  {
    rule: 'domain-imports-kernel-only',
    file: 'src/domain/recorded.ts',
    text: usesType('../records/index.ts'),
  },
  { rule: 'db-imports-no-mechanism', file: 'src/db/tagged.ts', text: uses('../http/etag.ts') },
  { rule: 'jobs-import-no-http', file: 'src/jobs/tagged.ts', text: uses('../http/etag.ts') },
  { rule: 'http-imports-no-jobs', file: 'src/http/queued.ts', text: uses('../jobs/queue.ts') },
  { rule: 'mechanisms-import-no-room', file: 'src/http/recording.ts', text: uses('../records/index.ts') },
  { rule: 'mechanisms-import-no-room', file: 'src/jobs/recording.ts', text: usesType('../records/index.ts') },
  { rule: 'mechanisms-import-no-room', file: 'src/llm/recording.ts', text: usesType('../records/index.ts') },
  {
    rule: 'mechanisms-import-no-room',
    file: 'src/config/recording.ts',
    text: usesType('../records/index.ts'),
  },
  { rule: 'llm-imports-no-mechanism', file: 'src/llm/stored.ts', text: usesType('../db/connection.ts') },
  { rule: 'llm-imports-no-mechanism', file: 'src/llm/tagged.ts', text: uses('../http/etag.ts') },
  { rule: 'mechanisms-call-no-model', file: 'src/jobs/asking.ts', text: uses('../llm/chat.ts') },
  { rule: 'resources-are-parameters', file: 'src/llm/settings.ts', text: usesType('../config/config.ts') },
  {
    rule: 'resources-are-parameters',
    file: 'src/records/settings.job.ts',
    text: usesType('../config/config.ts'),
  },
  { rule: 'resources-are-parameters', file: 'src/http/settings.ts', text: uses('../config/config.ts') },
  { rule: 'only-entry-points-compose', file: 'src/records/x.routes.ts', text: uses('../services.ts') },
  { rule: 'only-entry-points-serve', file: 'src/process/listening.ts', text: uses('../http/app.ts') },
  {
    rule: 'only-roles-import-process',
    file: 'src/jobs/children.ts',
    text: uses('../process/supervision/supervisor.ts'),
  },
  { rule: 'nothing-imports-main', file: 'src/process/again.ts', text: uses('../main.ts') },
  {
    rule: 'rooms-are-entered-by-index',
    file: 'src/dream/dream.service.ts',
    text: uses('../records/records.service.ts'),
  },
  {
    rule: 'rooms-are-entered-by-index',
    file: 'src/dream/dream.job.ts',
    text: uses('../records/listing/list.queries.ts'),
  },
  { rule: 'rooms-are-entered-by-index', file: 'src/capture/borrowed.ts', text: uses('../dream/clusters.ts') },
  { rule: 'composition-enters-by-index', file: 'src/services.ts', text: uses('./dream/clusters.ts') },
  ...upward,
  {
    rule: 'clients-import-no-service',
    file: 'clients/typescript/src/served.ts',
    text: usesType('../../../src/kernel/clock.ts'),
  },
  {
    rule: 'service-imports-no-client',
    file: 'src/mcp/client.ts',
    text: usesType('../../clients/typescript/src/index.ts'),
  },
  { rule: 'clients-run-everywhere', file: 'clients/typescript/src/files.ts', text: uses('node:fs') },
  { rule: 'clients-run-everywhere', file: 'clients/typescript/src/ai/hashes.ts', text: uses('node:crypto') },
  { rule: 'client-adapters-own-their-package', file: 'clients/typescript/src/stored.ts', text: uses('pg') },
  {
    rule: 'order-of-revision-and-lifecycle',
    file: 'src/revision/beside.service.ts',
    text: usesType('../lifecycle/index.ts'),
  },
  { rule: 'pure-files-do-no-io', file: 'src/lifecycle/clocked.ts', text: uses('node:timers/promises') },
  { rule: 'pure-files-do-no-io', file: 'src/lifecycle/stored.ts', text: uses('../db/connection.ts') },
  { rule: 'pure-files-do-no-io', file: 'src/lifecycle/asking.ts', text: uses('../llm/chat.ts') },
  { rule: 'pure-files-do-no-io', file: 'src/records/serving.ts', text: uses('./records.service.ts') },
  { rule: 'pure-files-do-no-io', file: 'src/lifecycle/laws/stored.ts', text: uses('../../db/connection.ts') },
  { rule: 'pure-files-use-no-package', file: 'src/lifecycle/packaged.ts', text: uses('pg') },
  { rule: 'use-cases-import-no-http', file: 'src/lifecycle/decay.service.ts', text: uses('../http/etag.ts') },
  {
    rule: 'the-page-imports-no-service',
    file: 'src/console/browser/parts/file.js',
    text: uses('../../index.ts'),
  },
  {
    rule: 'the-page-imports-no-service',
    file: 'src/console/browser/parts/disk.js',
    text: uses('node:fs'),
  },
  {
    rule: 'no-service-imports-the-page',
    file: 'src/console/curve.ts',
    text: uses('./browser/plots/curve.js'),
  },
  { rule: 'the-page-imports-what-it-serves', file: 'src/console/browser/api/store.js', text: uses('pg') },
  {
    rule: 'plots-load-with-the-page-that-draws-them',
    file: 'src/console/browser/shell/start.js',
    text: uses('../plots/curve.js'),
  },
  { rule: 'only-queries-import-kysely', file: 'src/retrieval/retrieval.service.ts', text: uses('kysely') },
  { rule: 'only-queries-import-kysely', file: 'src/retrieval/text/text.service.ts', text: uses('kysely') },
  { rule: 'only-queries-import-kysely', file: 'src/capture/capture.routes.ts', text: uses('pg') },
  { rule: 'only-jobs-import-bullmq', file: 'src/dream/dream.routes.ts', text: uses('bullmq') },
  { rule: 'only-llm-imports-openai', file: 'src/lifecycle/thinking.service.ts', text: usesType('openai') },
  { rule: 'only-llm-imports-openai', file: 'src/jobs/thinking.ts', text: uses('openai') },
  {
    rule: 'only-the-protocol-imports-mcp',
    file: 'src/mcp/spoken.service.ts',
    text: uses('@modelcontextprotocol/server'),
  },
  { rule: 'only-telemetry-imports-its-packages', file: 'src/http/counting.ts', text: uses('prom-client') },
  { rule: 'telemetry-imports-kernel-only', file: 'src/telemetry/stored.ts', text: usesType('../db/hen.ts') },
  {
    rule: 'only-composition-imports-telemetry',
    file: 'src/jobs/watched.ts',
    text: uses('../telemetry/registry.ts'),
  },
  { rule: 'only-routes-import-fastify', file: 'src/capture/capture.service.ts', text: usesType('fastify') },
]
