import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { operations } from '../support/http/openapi-operations.ts'
import { rootKey, startTestApp } from '../support/test-app.ts'

const root = resolve(import.meta.dirname, '../..')
const guide = await readFile(join(root, 'docs/clients.md'), 'utf8')
// Without the packages that npx installs: the test uses those of the project.
const commands = [...guide.matchAll(/```\nnpx (?:-p \S+ )*([\s\S]*?)\n```/g)].map(
  ([, command]) => command ?? '',
)
// The package to import is tried in its own tests.
const programs = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)]
  .map(([, program]) => program ?? '')
  .filter((program) => !program.includes('@membrane/client'))

/** The strict options of a careful project that the generated code can satisfy. */
const strict = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    noImplicitReturns: true,
    noImplicitOverride: true,
    noFallthroughCasesInSwitch: true,
    noUnusedLocals: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    outDir: 'built',
  },
  include: ['*.ts', 'membrane/**/*.ts'],
}

/** Compiles only when the client refuses what the document does not allow. */
const wrong = `import { createRecord } from './membrane/index.js'
  const payload = { kind: 'semantic', subject: 1, predicate: 'is', object: 1 } as const
  // @ts-expect-error a subject is a string
  void createRecord({ body: { type: 'semantic', payload } })`

const run = promisify(execFile)
const tool = (name: string) => join(root, 'node_modules/.bin', name)

const app = await startTestApp()
const folder = await mkdtemp(join(tmpdir(), 'membrane-clients-'))
await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
await writeFile(join(folder, 'package.json'), '{"type":"module"}')
await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(strict))
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true })
})

/** Runs the documented command with the locked generators against this server. */
async function generate(command: string): Promise<void> {
  const [name = '', ...options] = command.replace('http://127.0.0.1:8080', app.url).split(' ')
  const quiet = name.includes('hey-api') ? ['--silent', '--no-log-file'] : []
  await run(tool(name.replace('@hey-api/', '')), [...options, ...quiet], { cwd: folder })
}

async function compile(): Promise<string> {
  const failed = (error: { stdout?: string }) => error.stdout ?? String(error)
  return run(tool('tsc'), ['-p', folder]).then(({ stdout }) => stdout, failed)
}

async function hold(program: string): Promise<string[]> {
  const env = { PATH: process.env['PATH'], MEMBRANE_URL: app.url, MEMBRANE_API_KEY: rootKey }
  const { stdout } = await run(process.execPath, [join(folder, 'built', program)], { env })
  return stdout.trim().split('\n')
}

describe('clients generated from the OpenAPI document of a running server', () => {
  it('compile strictly with the programs of docs/clients.md and refuse what the document does not allow', async () => {
    expect([commands.length, programs.length]).toEqual([2, 2])
    for (const command of commands) await generate(command)
    await writeFile(join(folder, 'wrong.ts'), wrong)
    for (const [index, program] of programs.entries()) {
      await writeFile(join(folder, `program-${index}.ts`), program)
    }
    expect(await compile()).toBe('')
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['membrane', 'membrane.ts', 'built']))
    // Two generators and a compiler run here, beside other tests.
  }, 120_000)

  it('contain every operation', async () => {
    const functions = await readFile(join(folder, 'membrane/sdk.gen.ts'), 'utf8')
    const types = await readFile(join(folder, 'membrane.ts'), 'utf8')
    for (const { name } of operations) {
      expect(functions, name).toContain(`export const ${name} = `)
      expect(types, name).toMatch(new RegExp(`\\b${name}: \\{`))
    }
  })

  it('work with the server', async () => {
    expect(await hold('program-0.js')).toEqual([
      'true true',
      '1',
      '1 the last page',
      'record_not_found',
      'queued',
    ])
    expect(await hold('program-1.js')).toEqual(['2'])
  })
})
