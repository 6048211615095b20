/** Rooms, lowest first. A room uses the rooms of the levels below its own, and no room of its own level. */
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
]

const either = (names) => `(?:${names.join('|')})`

const room = either(levels.flat())
const mechanism = either(['db', 'http', 'jobs', 'llm', 'telemetry', 'process'])
const rooms = `^src/${room}/`
const doors = `^src/${room}/index\\.ts$`
const mechanisms = `^src/${mechanism}/`

/** The second part of a file name says what kind of file it is; a file without one is pure. */
const ofKind = (...kinds) => `\\.${either(kinds)}\\.ts$`
const useCases = `${rooms}.*${ofKind('service', 'queries', 'job')}`
const pureFiles = { path: `^src/(?:domain|${room})/[^.]+\\.ts$`, pathNot: '/index\\.ts$' }

const main = '^src/(?:main|roles/roles)\\.ts$'
const roles = '^src/roles/'
const composition =
  '^src/(?:(?:services|search-services|routes|models|background)\\.ts$|roles/(?!roles\\.ts$))'
const config = '^src/config/'
const page = '^src/console/browser/'
const app = '^src/http/app\\.ts$'
const outside = '^(?:test|bench|scripts)/'

/** Node's modules that touch the world; `buffer`, `util` and the hashes of `crypto` only compute. */
const io = `^(?:node:)?${either(['fs', 'net', 'tls', 'http', 'https', 'http2', 'dns', 'dgram', 'child_process', 'worker_threads', 'cluster', 'timers', 'process', 'os', 'readline', 'v8', 'vm'])}(?:/|$)`

/** A type costs nothing at run time, so a pure file may name the type of a row. */
const atRunTime = { dependencyTypesNot: ['type-only'] }

const rule = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to })

const roomOrder = levels.map((level, index) =>
  rule(
    `order-of-${level.join('-and-')}`,
    { path: `^src/(${level.join('|')})/` },
    {
      path: rooms,
      pathNot: ['^src/$1/', ...levels.slice(0, index).map((names) => `^src/${either(names)}/`)],
    },
    'A room uses only the rooms below it. Rooms that import each other cannot be read or tested alone.',
  ),
)

module.exports = {
  forbidden: [
    rule('no-cycles', {}, { circular: true }, 'A cycle has no first file to read.'),
    // The types of the API are written from the OpenAPI document by `npm run types`.
    rule('resolvable', {}, { couldNotResolve: true, pathNot: '^#api$' }),
    rule(
      'product-imports-no-tools',
      { path: '^(?:src|migrations)/' },
      { path: outside },
      'Tests, benchmarks and scripts are not shipped.',
    ),
    rule(
      'product-imports-no-dev-packages',
      { path: '^(?:src|migrations)/' },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], ...atRunTime },
      'Development packages are not installed in production.',
    ),
    rule(
      'migrations-import-nothing',
      { path: '^migrations/' },
      { path: '^src/' },
      'A migration that has run must not change when the code changes.',
    ),

    // main → services → rooms → domain and mechanisms → kernel
    rule(
      'kernel-imports-nothing',
      { path: '^src/kernel/' },
      { pathNot: ['^src/kernel/', '^(?:node:)?crypto$'] },
    ),
    rule(
      'domain-imports-kernel-only',
      { path: '^src/domain/' },
      { path: '^src/', pathNot: '^src/(?:domain|kernel)/' },
      'The vocabulary of every room depends on none of them.',
    ),
    rule(
      'llm-imports-no-mechanism',
      { path: '^src/llm/' },
      { path: '^src/(?:db|jobs|http|process)/' },
      'No database connection is held while a model answers.',
    ),
    rule('mechanisms-call-no-model', { path: '^src/(?:db|jobs|http|process)/' }, { path: '^src/llm/' }),
    rule(
      'telemetry-imports-kernel-only',
      { path: '^src/telemetry/' },
      { path: '^src/', pathNot: '^src/(?:telemetry|kernel)/' },
      'The code that is measured reports through types of the kernel.',
    ),
    rule(
      'only-composition-imports-telemetry',
      { pathNot: ['^src/telemetry/', main, composition, outside] },
      { path: '^src/telemetry/' },
    ),
    rule('db-imports-no-mechanism', { path: '^src/db/' }, { path: '^src/(?:jobs|http)/' }),
    rule('jobs-import-no-http', { path: '^src/jobs/' }, { path: '^src/http/' }),
    rule('http-imports-no-jobs', { path: '^src/http/', pathNot: app }, { path: '^src/jobs/' }),
    rule('mechanisms-import-no-room', { path: [mechanisms, config], pathNot: app }, { path: rooms }),
    rule(
      'resources-are-parameters',
      { path: ['^src/(?:db|jobs|http|llm|domain)/', rooms], pathNot: app },
      { path: config },
      'A room or mechanism states what it needs; the composition root reads the configuration.',
    ),
    rule('only-entry-points-compose', { pathNot: [main, composition, app, outside] }, { path: composition }),
    rule('only-entry-points-serve', { pathNot: [main, composition, outside] }, { path: app }),
    rule(
      'only-roles-import-process',
      { pathNot: [roles, '^src/process/', outside] },
      { path: '^src/process/' },
    ),
    rule(
      'nothing-imports-main',
      { pathNot: '^src/main\\.ts$' },
      { path: main },
      'Importing main.ts starts a process, and it alone imports the roles.',
    ),

    // Rooms
    rule(
      'rooms-are-entered-by-index',
      { path: '^src/([^/]+)/' },
      { path: rooms, pathNot: ['^src/$1/', doors] },
      'Another room is its index.ts. What two rooms share lives in domain/.',
    ),
    rule('composition-enters-by-index', { path: [main, composition, app] }, { path: rooms, pathNot: doors }),
    ...roomOrder,
    rule(
      'pure-files-do-no-io',
      pureFiles,
      {
        path: [`${rooms}.*${ofKind('routes', 'service', 'queries', 'job')}`, mechanisms, io],
        ...atRunTime,
      },
      'A file without a kind in its name has no I/O, no clock and no randomness.',
    ),
    rule('pure-files-use-no-package', pureFiles, {
      path: '(?:^|/)node_modules/',
      pathNot: '(?:^|/)node_modules/typebox/',
      ...atRunTime,
    }),
    rule(
      'use-cases-import-no-http',
      { path: useCases },
      // The use case decides where a page ends, and which item of a batch is invalid.
      {
        path: '^src/http/',
        pathNot: ['^src/http/(?:paging/(?:cursor|paging)|validation/(?:validation|value-count))\\.ts$'],
      },
    ),

    // The page of the console runs in a browser
    rule(
      'the-page-imports-no-service',
      { path: page },
      { path: ['^src/', io, '^(?:node:)?crypto$'], pathNot: page },
      'The browser has neither Node nor the files of the service: the page knows the public API.',
    ),
    rule('no-service-imports-the-page', { path: '^src/', pathNot: page }, { path: page }),
    rule(
      'the-page-imports-what-it-serves',
      { path: page },
      {
        path: '(?:^|/)node_modules/',
        pathNot: '(?:^|/)node_modules/(?:preact|htm|@preact/signals|uplot|d3-force)/',
      },
      'The import map of the page has these packages and no others.',
    ),
    rule(
      'plots-load-with-the-page-that-draws-them',
      { path: `${page}(?:api|parts|shell)/` },
      { path: [`${page}(?:plots|pages)/`, '(?:^|/)node_modules/(?:uplot|d3-force)/'] },
      'They would be loaded before the first page appears.',
    ),

    // The clients
    rule(
      'clients-import-no-service',
      { path: '^clients/' },
      { path: '^(?:src|migrations|test|bench|scripts)/' },
      'A client is installed without the service.',
    ),
    rule('service-imports-no-client', { path: '^(?:src|migrations|scripts|bench)/' }, { path: '^clients/' }),
    rule(
      'clients-run-everywhere',
      { path: '^clients/' },
      { dependencyTypes: ['core'] },
      'Browsers and workers have none of the modules of Node.',
    ),
    rule(
      'client-adapters-own-their-package',
      { path: '^clients/', pathNot: '^clients/typescript/src/(?:ai|langgraph)(?:/|\\.ts$)' },
      { path: '(?:^|/)node_modules/' },
      'Who uses one entry of the client need not install the packages of the others.',
    ),

    // Packages behind one room each
    rule(
      'only-queries-import-kysely',
      { path: '^src/', pathNot: ['^src/db/', ofKind('queries')] },
      { path: '(?:^|/)node_modules/(?:kysely|pg)/', ...atRunTime },
    ),
    rule(
      'only-jobs-import-bullmq',
      { path: '^src/', pathNot: '^src/jobs/' },
      { path: '(?:^|/)node_modules/bullmq/' },
    ),
    rule(
      'only-routes-import-fastify',
      { path: '^src/', pathNot: ['^src/http/', ofKind('routes')] },
      { path: '(?:^|/)node_modules/(?:fastify|@fastify/[^/]+)/' },
    ),
    rule(
      'only-telemetry-imports-its-packages',
      { path: '^src/', pathNot: '^src/telemetry/' },
      { path: '(?:^|/)node_modules/(?:prom-client|@opentelemetry/[^/]+)/' },
      'They are slow to load, so they are loaded only where telemetry is on.',
    ),
    rule(
      'only-the-protocol-imports-mcp',
      { path: '^src/', pathNot: '^src/mcp/protocol\\.service\\.ts$' },
      { path: '(?:^|/)node_modules/@modelcontextprotocol/', ...atRunTime },
      'It is loaded with the first message; a tool must not depend on a protocol.',
    ),
    rule(
      'only-llm-imports-openai',
      { path: '^src/', pathNot: '^src/llm/' },
      { path: '(?:^|/)node_modules/openai/' },
      'The client reads the environment, retries and logs by default; one place turns that off.',
    ),
  ],
  options: {
    // Types are dependencies too: code that names another file's type cannot be read without that file.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'types'] },
  },
}
