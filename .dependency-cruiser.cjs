/** Each level may use the doors of the levels before it; the last looks at every room. */
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
]

const either = (names) => `(?:${names.join('|')})`

const room = either(levels.flat())
/** A room may hold rooms of its own, such as records/listing: what is reserved is so at any depth. */
const reserved = `(?:|.+/)${either(['index', 'routes', 'schemas', 'service', 'queries', 'jobs'])}`
const rooms = `^src/${room}/`
const doors = `^src/${room}/index\\.ts$`
const queries = '^src/(?:|.+/)queries\\.ts$'
const routes = `^src/${room}/(?:|.+/)routes\\.ts$`
const useCases = `^src/${room}/(?:|.+/)(?:service|queries|jobs)\\.ts$`
const reservedFiles = `^src/${room}/${reserved}\\.ts$`
/** The other files of a room: no I/O, no clock, no randomness, so that anyone may borrow them. */
const pureFiles = `^src/${room}/(?!${reserved}\\.ts$)`

const main = '^src/main\\.ts$'
const services = '^src/(?:services|background)\\.ts$'
const config = '^src/config\\.ts$'
const app = '^src/http/app\\.ts$'
/** TypeBox shapes that several rooms share, and their names: as pure as what borrows them. */
const shapes = '^src/http/(?:shapes|schemas)\\.ts$'
const outside = '^(?:test|bench|scripts)/'

/** Node's modules that touch the world; `buffer`, `util` and the hashes of `crypto` only compute. */
const io = `^(?:node:)?${either(['fs', 'net', 'tls', 'http', 'https', 'http2', 'dns', 'dgram', 'child_process', 'worker_threads', 'cluster', 'timers', 'process', 'os', 'readline', 'v8', 'vm'])}(?:/|$)`

/** A type costs nothing when the program runs, so a pure file may name the shape of a row. */
const atRunTime = { dependencyTypesNot: ['type-only'] }

const rule = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to })

/** A pure file may be borrowed by anyone: records answer with the curves of decay, which stands above them. */
const roomOrder = levels.map((level, index) => {
  const below = levels.slice(0, index).flat()
  const allowed = ['^src/$1/', ...below.map((name) => `^src/${name}/`)]
  return rule(
    `order-of-${level.join('-and-')}`,
    { path: `^src/(${level.join('|')})/` },
    { path: reservedFiles, pathNot: allowed },
    'Rooms use the rooms before them only; a cycle of rooms can be neither tested nor read alone.',
  )
})

module.exports = {
  forbidden: [
    rule('no-cycles', {}, { circular: true }, 'A cycle has no bottom to start reading from.'),
    rule('resolvable', {}, { couldNotResolve: true }),
    rule(
      'product-knows-only-itself',
      { path: '^(?:src|migrations)/' },
      { path: outside },
      'Tests and tools are not shipped.',
    ),
    rule(
      'product-runs-on-its-dependencies',
      { path: '^(?:src|migrations)/' },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], ...atRunTime },
      'Development packages are not installed where it runs.',
    ),
    rule(
      'migrations-are-frozen',
      { path: '^migrations/' },
      { path: '^src/' },
      'Code changes; what has run somewhere must not.',
    ),

    // main → services, http/app → rooms → db, jobs, http mechanisms → kernel
    rule(
      'kernel-imports-nothing',
      { path: '^src/kernel/' },
      { pathNot: ['^src/kernel/', '^(?:node:)?crypto$'] },
    ),
    rule(
      'models-know-no-mechanism',
      { path: '^src/models/' },
      { path: '^src/(?:db|jobs|http|process)/' },
      'Who asks a model holds no connection meanwhile, so it has no use for one.',
    ),
    rule('mechanisms-ask-no-model', { path: '^src/(?:db|jobs|http|process)/' }, { path: '^src/models/' }),
    rule(
      'telemetry-stands-on-the-kernel',
      { path: '^src/telemetry/' },
      { path: '^src/', pathNot: '^src/(?:telemetry|kernel)/' },
      'What is watched says what it tells; who watches it knows nothing of it.',
    ),
    rule(
      'nobody-knows-telemetry',
      { pathNot: ['^src/telemetry/', main, services, outside] },
      { path: '^src/telemetry/' },
    ),
    rule('db-stands-on-the-kernel', { path: '^src/db/' }, { path: '^src/(?:jobs|http)/' }),
    rule('jobs-know-no-http', { path: '^src/jobs/' }, { path: '^src/http/' }),
    rule('http-knows-no-jobs', { path: '^src/http/', pathNot: app }, { path: '^src/jobs/' }),
    rule(
      'mechanisms-know-no-room',
      { path: '^src/(?:db|jobs|http|models|process)/', pathNot: app },
      { path: rooms },
    ),
    rule(
      'resources-are-passed-in',
      { path: ['^src/(?:db|jobs|http|models)/', rooms], pathNot: app },
      { path: config },
      'A room or mechanism says what it needs; who composes it reads the configuration.',
    ),
    rule('only-tops-compose', { pathNot: [main, services, app, outside] }, { path: services }),
    rule('only-tops-serve', { pathNot: [main, services, outside] }, { path: app }),
    rule('only-main-supervises', { pathNot: [main, '^src/process/', outside] }, { path: '^src/process/' }),
    rule('nothing-imports-main', {}, { path: main }, 'Importing it would start a process.'),

    // Rooms
    rule(
      'rooms-meet-at-the-door',
      { path: '^src/([^/]+)/', pathNot: app },
      { path: reservedFiles, pathNot: ['^src/$1/', doors] },
      'Another room is its index.ts, or a pure file borrowed from it.',
    ),
    rule('compose-through-doors', { path: [main, services, app, config] }, { path: rooms, pathNot: doors }),
    ...roomOrder,
    rule(
      'pure-files-are-pure',
      { path: pureFiles },
      { path: [reservedFiles, '^src/(?:db|http|jobs|models|process)/', io], pathNot: shapes, ...atRunTime },
    ),
    rule(
      'pure-files-need-no-package',
      { path: pureFiles },
      { path: '(?:^|/)node_modules/', pathNot: '(?:^|/)node_modules/typebox/', ...atRunTime },
    ),
    rule(
      'use-cases-know-no-http',
      { path: useCases },
      // Where a page ends and whether one item of many is valid is the use case's to say.
      { path: '^src/http/', pathNot: [shapes, '^src/http/(?:paging|validation)\\.ts$'] },
    ),

    // Packages behind one door each
    rule(
      'only-queries-speak-sql',
      { path: '^src/', pathNot: ['^src/db/', queries] },
      { path: '(?:^|/)node_modules/(?:kysely|pg)/', ...atRunTime },
    ),
    rule(
      'only-jobs-know-the-queue',
      { path: '^src/', pathNot: '^src/jobs/' },
      { path: '(?:^|/)node_modules/bullmq/' },
    ),
    rule(
      'only-http-knows-fastify',
      { path: '^src/', pathNot: ['^src/http/', routes] },
      { path: '(?:^|/)node_modules/(?:fastify|@fastify/[^/]+)/' },
    ),
    rule(
      'only-telemetry-knows-its-packages',
      { path: '^src/', pathNot: '^src/telemetry/' },
      { path: '(?:^|/)node_modules/(?:prom-client|@opentelemetry/[^/]+)/' },
      'Loaded where nobody listens, they would cost every start.',
    ),
    rule(
      'only-models-know-openai',
      { path: '^src/', pathNot: '^src/models/' },
      { path: '(?:^|/)node_modules/openai/' },
      'It reads the environment, retries and logs unless it is told not to: in one place it is.',
    ),
  ],
  options: {
    // Types are dependencies too: who needs another's type cannot be read without it.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['node', 'import', 'types'] },
  },
}
