import { basename } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  findAmbientCalls,
  findEnvironmentReads,
  findLongFunctions,
  findSkippedTests,
  findSpreadLiterals,
  findUnfinished,
  type Violation,
} from './find-violations.ts'
import { listFiles, readSource } from './source-files.ts'

const product = [...listFiles('src', '.ts'), ...listFiles('migrations', '.ts')]
const page = listFiles('src/console/browser', '.js')
const tools = [...listFiles('bench', '.ts'), ...listFiles('scripts', '.ts')]
const tests = [...listFiles('test', '.ts'), ...listFiles('clients/typescript/test', '.ts')]
const clients = listFiles('clients/typescript/src', '.ts')
const generated = ['src/db/schema.ts', 'clients/typescript/src/generated/api.ts']
const written = [...product, ...page, ...clients, ...tools, ...tests].filter(
  (file) => !generated.includes(file),
)
/** These files contain the patterns they search for. */
const searchers = ['test/architecture/find-violations.ts', 'test/architecture/source-rules.test.ts']

const except = (files: readonly string[], ...pardoned: string[]) =>
  files.filter((file) => !pardoned.some((prefix) => file.startsWith(prefix)))

type Rule = { files: readonly string[]; find: (text: string) => Violation[] }

const rules = {
  ambient: { files: except(product, 'src/kernel/'), find: findAmbientCalls },
  environment: {
    files: except(product, 'src/roles/roles.ts', 'src/config/config.ts'),
    find: findEnvironmentReads,
  },
  long: {
    files: except([...product, ...page, ...clients, ...tools], ...generated),
    find: (text: string) => findLongFunctions(text, 50),
  },
  spread: { files: written, find: findSpreadLiterals },
  unfinished: { files: except(written, ...searchers), find: findUnfinished },
  skipped: { files: except(tests, ...searchers), find: findSkippedTests },
} satisfies Record<string, Rule>

/** File by file, so that each is read and parsed once for all rules. */
function searchAll(): Map<Rule, string[]> {
  const all = Object.values(rules).map((rule: Rule) => ({ rule, files: new Set(rule.files) }))
  const found = new Map(all.map(({ rule }): [Rule, string[]] => [rule, []]))
  for (const file of written) {
    const text = readSource(file)
    for (const { rule, files } of all) {
      const violations = files.has(file) ? rule.find(text) : []
      found.get(rule)?.push(...violations.map(({ line, what }) => `${file}:${line} ${what}`))
    }
  }
  return found
}

describe('the source files', () => {
  let found: Map<Rule, string[]>
  beforeAll(() => {
    found = searchAll()
  })

  test('are all found', () => {
    expect(product).toContain('src/main.ts')
    expect(product).toContain('migrations/index.ts')
    expect(page).toContain('src/console/browser/main.js')
    expect(clients).toContain('clients/typescript/src/index.ts')
    expect(tests).toContain('test/architecture/source-rules.test.ts')
    expect(tests).toContain('clients/typescript/test/client.test.ts')
  })

  test('take time, ids and randomness from the kernel', () => {
    expect(found.get(rules.ambient)).toEqual([])
  })

  test('read the environment in roles.ts and config.ts only', () => {
    expect(found.get(rules.environment)).toEqual([])
  })

  test('have at most 250 lines', () => {
    const long = written.filter((file) => readSource(file).split('\n').length - 1 > 250)
    expect(long).toEqual([])
  })

  test('have functions of at most 50 lines', () => {
    expect(found.get(rules.long)).toEqual([])
  })

  test('spread objects and arrays only to merge them', () => {
    expect(found.get(rules.spread)).toEqual([])
  })

  test('contain no marks of unfinished work', () => {
    expect(found.get(rules.unfinished)).toEqual([])
  })

  test('have names from the domain, not names like utils', () => {
    const drawers = /^(utils?|helpers?|common|misc|shared|.*manager)(\.test)?\.[tj]s$/i
    expect(written.filter((file) => drawers.test(basename(file)))).toEqual([])
  })

  test('skip no test and run none alone', () => {
    expect(found.get(rules.skipped)).toEqual([])
  })
})

describe('the search for violations', () => {
  test.each([
    'const at = Date.now()',
    'const at = new Date()',
    'const at = new Date',
    'const at = Date()',
    'const share = Math.random()',
    'const id = crypto.randomUUID()',
    'const bytes = randomBytes(8)',
  ])('finds the ambient call %s', (text) => {
    expect(findAmbientCalls(`${text}\n`)).toHaveLength(1)
  })

  test('ignores a given instant and a comment', () => {
    expect(
      findAmbientCalls("// not Date.now()\nconst at = new Date(millis)\nconst text = 'new Date()'\n"),
    ).toEqual([])
  })

  test.each([
    'const port = process.env.PORT',
    "const port = process['env'].PORT",
    'const { env } = process',
    'start({ ...process.env })',
  ])('finds the environment read %s', (text) => {
    expect(findEnvironmentReads(text)).toHaveLength(1)
  })

  test('counts the lines of a function', () => {
    const lines = (count: number) => `function long() {\n${'  step()\n'.repeat(count - 2)}}\n`
    expect(findLongFunctions(lines(50), 50)).toEqual([])
    expect(findLongFunctions(lines(51), 50)).toEqual([{ line: 1, what: 'a function of 51 lines' }])
  })

  test('leaves out nested functions and SQL', () => {
    const inner = `  const inner = () => {\n${'    step()\n'.repeat(40)}  }\n`
    const statement = `  run(\`\n${'    select\n'.repeat(40)}  \`)\n`
    expect(findLongFunctions(`function outer() {\n${inner}${statement}${inner}}\n`, 50)).toEqual([])
  })

  test.each([
    'const a = { ...{ b: 1 }, c }',
    'const a = [...[1, 2], b]',
    'const a = [...([1, 2] as const), b]',
    'call(a, ...[b, c])',
  ])('finds the spread literal in %s', (text) => {
    expect(findSpreadLiterals(text)).toHaveLength(1)
  })

  test('ignores what is spread to merge it', () => {
    const text = 'const a = { ...b, ...(c ? { d: 1 } : {}) }\nconst e = [...f, ...[1, 2].map(g)]\n'
    expect(findSpreadLiterals(text)).toEqual([])
  })

  test('finds marks of unfinished work', () => {
    expect(
      findUnfinished('// TODO: later\nthrow new Error("not implemented")\nconst method = 1'),
    ).toHaveLength(2)
  })

  test('finds skipped tests and tests that run alone', () => {
    const text = ['test.only("x")', 'describe.skip("x")', 'it.todo("x")', 'test("only x")'].join('\n')
    expect(findSkippedTests(text)).toHaveLength(3)
  })
})
