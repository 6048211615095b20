import { basename } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  findAmbientCalls,
  findEnvironmentReads,
  findLongFunctions,
  findSkippedTests,
  findUnfinished,
  type Violation,
} from './find-violations.ts'
import { listFiles, readSource } from './source-files.ts'

const product = [...listFiles('src', '.ts'), ...listFiles('migrations', '.ts')]
const tools = [...listFiles('bench', '.ts'), ...listFiles('scripts', '.ts')]
const tests = listFiles('test', '.ts')
const generated = 'src/db/schema.ts'
const written = [...product, ...tools, ...tests].filter((file) => file !== generated)
/** These name what they look for. */
const searchers = ['test/architecture/find-violations.ts', 'test/architecture/source-rules.test.ts']

function search(files: readonly string[], find: (text: string) => Violation[]): string[] {
  return files.flatMap((file) => find(readSource(file)).map(({ line, what }) => `${file}:${line} ${what}`))
}

const except = (files: readonly string[], ...pardoned: string[]) =>
  files.filter((file) => !pardoned.some((prefix) => file.startsWith(prefix)))

describe('the sources', () => {
  test('are all there to be read', () => {
    expect(product).toContain('src/main.ts')
    expect(product).toContain('migrations/index.ts')
    expect(tests).toContain('test/architecture/source-rules.test.ts')
  })

  test('take the time, ids and randomness from the kernel', () => {
    expect(search(except(product, 'src/kernel/'), findAmbientCalls)).toEqual([])
  })

  test('read the environment in main.ts and config.ts only', () => {
    expect(search(except(product, 'src/main.ts', 'src/config/config.ts'), findEnvironmentReads)).toEqual([])
  })

  test('are files of at most 250 lines', () => {
    const long = written.filter((file) => readSource(file).split('\n').length - 1 > 250)
    expect(long).toEqual([])
  })

  test('are functions of at most 50 lines', () => {
    const find = (text: string) => findLongFunctions(text, 50)
    expect(search([...product, ...tools], find)).toEqual([])
  })

  test('are finished', () => {
    expect(search(except(written, ...searchers), findUnfinished)).toEqual([])
  })

  test('have names of the domain, not of a drawer', () => {
    const drawers = /^(utils?|helpers?|common|misc|shared|.*manager)(\.test)?\.ts$/i
    expect(written.filter((file) => drawers.test(basename(file)))).toEqual([])
  })

  test('skip no test and run none alone', () => {
    expect(search(except(tests, ...searchers), findSkippedTests)).toEqual([])
  })
})

describe('the search', () => {
  test.each([
    'const at = Date.now()',
    'const at = new Date()',
    'const at = new Date',
    'const at = Date()',
    'const share = Math.random()',
    'const id = crypto.randomUUID()',
    'const bytes = randomBytes(8)',
  ])('for ambient calls finds %s', (text) => {
    expect(findAmbientCalls(`${text}\n`)).toHaveLength(1)
  })

  test('for ambient calls leaves a given instant, and a comment, alone', () => {
    expect(
      findAmbientCalls("// not Date.now()\nconst at = new Date(millis)\nconst text = 'new Date()'\n"),
    ).toEqual([])
  })

  test.each([
    'const port = process.env.PORT',
    "const port = process['env'].PORT",
    'const { env } = process',
    'start({ ...process.env })',
  ])('for environment reads finds %s', (text) => {
    expect(findEnvironmentReads(text)).toHaveLength(1)
  })

  test('for long functions counts the lines of the function', () => {
    const lines = (count: number) => `function long() {\n${'  step()\n'.repeat(count - 2)}}\n`
    expect(findLongFunctions(lines(50), 50)).toEqual([])
    expect(findLongFunctions(lines(51), 50)).toEqual([{ line: 1, what: 'a function of 51 lines' }])
  })

  test('for long functions leaves out the functions and the SQL that stand in one', () => {
    const inner = `  const inner = () => {\n${'    step()\n'.repeat(40)}  }\n`
    const statement = `  run(\`\n${'    select\n'.repeat(40)}  \`)\n`
    expect(findLongFunctions(`function outer() {\n${inner}${statement}${inner}}\n`, 50)).toEqual([])
  })

  test('for unfinished work finds its marks', () => {
    expect(
      findUnfinished('// TODO: later\nthrow new Error("not implemented")\nconst method = 1'),
    ).toHaveLength(2)
  })

  test('for uneven tests finds those left out and those run alone', () => {
    const text = ['test.only("x")', 'describe.skip("x")', 'it.todo("x")', 'test("only x")'].join('\n')
    expect(findSkippedTests(text)).toHaveLength(3)
  })
})
