import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rootKey } from '../../../test/support/test-app.ts'
import { createWorkerFor } from '../../../test/support/workers/worker-setup.ts'
import { collect } from './support/collect.ts'
import { type Service, startService } from './support/service.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../../..')
const workspace = join(root, 'clients/typescript')
/** The programs of the documents, as they are written there; those of the README of the package first. */
const documents = ['clients/typescript/README.md', 'docs/clients.md', 'README.md']
const texts = await Promise.all(documents.map((name) => readFile(join(root, name), 'utf8')))
const programs = [...texts.join('\n').matchAll(/```ts\n([\s\S]*?)```/g)]
  .map(([, program]) => program ?? '')
  .filter((program) => program.includes('@membrane/client'))

/** The strict options of a careful project. */
const strict = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    outDir: 'built',
    // The types of other packages do not hold under all of these options.
    skipLibCheck: true,
  },
  include: ['*.ts'],
}

const model = `import { MockLanguageModelV4 } from 'ai/test'
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 1, text: 1, reasoning: undefined },
  }
  export const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt, tools }) => ({
      content: [{ type: 'text', text: JSON.stringify([prompt.map(({ role }) => role), tools?.map(({ name }) => name)]) }],
      finishReason: { unified: 'stop', raw: undefined },
      usage,
      warnings: [],
    }),
  })`

/** Compiles only when the package refuses what the service would refuse. */
const wrong = `import { createClient } from '@membrane/client'
  const client = createClient({ baseUrl: '' })
  // @ts-expect-error a subject is a string
  void client.createRecord({ body: { type: 'semantic', payload: { kind: 'semantic', subject: 1, predicate: 'is', object: 1 } } })
  // @ts-expect-error it needs an id
  void client.getRecord({})
  // @ts-expect-error it answers no pages
  void client.each('getRecord')`

let service: Service
let folder: string
beforeAll(async () => {
  service = await startService()
  folder = await mkdtemp(join(tmpdir(), 'membrane-package-'))
}, 120_000)
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** Packages that the user of an entry has installed. */
async function link(...names: string[]): Promise<void> {
  for (const name of names) {
    const target = join(folder, 'node_modules', name)
    await mkdir(resolve(target, '..'), { recursive: true })
    await symlink(join(root, 'node_modules', name), target)
  }
}

async function hold(program: string, variables: Record<string, string> = {}): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    MEMBRANE_URL: service.url,
    MEMBRANE_API_KEY: rootKey,
    ...variables,
  }
  return (await run(process.execPath, [join(folder, 'built', program)], { env })).stdout
}

describe('the packed client', () => {
  it('installs in an empty folder, alone, as plain JavaScript', async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: workspace })
    const [file] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
    expect(stdout).toContain(file)
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    const options = ['--offline', '--no-audit', '--no-fund']
    await run('npm', ['install', ...options, `./${file}`], { cwd: folder })
    expect(await readdir(join(folder, 'node_modules'))).toEqual(['.package-lock.json', '@membrane'])
    const files = await readdir(join(folder, 'node_modules/@membrane/client'), { recursive: true })
    expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', 'dist/index.js']))
    expect(files.filter((name) => /(?<!\.d)\.ts$|^src|^test/.test(name))).toEqual([])
    const script =
      "console.log(Object.keys({ ...(await import('@membrane/client')), ...(await import('@membrane/client/anthropic')) }).join())"
    const printed = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
    expect(printed.stdout.trim().split(',')).toEqual([
      'ConnectionError',
      'ProblemError',
      'createClient',
      'isProblem',
      'createMemoryTool',
      'runMemoryCommand',
    ])
  }, 120_000)

  it('compiles strictly with the documented programs, and refuses what the service would refuse', async () => {
    await link('ai', '@anthropic-ai/sdk', '@langchain/langgraph-checkpoint', '@types/node')
    expect(programs).toHaveLength(7)
    for (const [index, program] of programs.entries())
      await writeFile(join(folder, `program-${index}.ts`), program)
    await writeFile(join(folder, 'model.ts'), model)
    await writeFile(join(folder, 'wrong.ts'), wrong)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(strict))
    const failed = (error: { stdout?: string }) => error.stdout ?? String(error)
    const tsc = join(root, 'node_modules/.bin/tsc')
    expect(await run(tsc, ['-p', folder]).then(({ stdout }) => stdout, failed)).toBe('')
  }, 120_000)

  it('speaks with the service', async () => {
    const worker = createWorkerFor(service)
    const isOver = new AbortController()
    const working = (async () => {
      while (!isOver.signal.aborted) {
        await worker.runJob('decay', isOver.signal)
        await new Promise((next) => setTimeout(next, 100))
      }
    })()
    const printed = await hold('program-0.js')
    isOver.abort()
    await working
    expect(printed).toContain('Ada prefers tea.')
    expect(printed).toContain('404 record_not_found')
    expect(printed.trim().split('\n').at(-1)).toBe('succeeded')
  })

  it('answers a chat with its earlier messages, and reinforces the one that it quotes', async () => {
    expect(await hold('program-1.js')).toMatch(
      /^Noted\..*\n- \[m:\w+\] .* Ada: I am allergic to nuts\. .*\n$/,
    )
    const { items } = await service.client.listRecords({ query: { scope: 'user-ada', type: 'episodic' } })
    expect(items).toHaveLength(4)
    const reinforced = items.filter(
      (item) => 'audit_log' in item && item.audit_log.some(({ action }) => action === 'reinforce'),
    )
    expect(reinforced).toHaveLength(1)
  })

  it('remembers and recalls in a short script', async () => {
    expect(await hold('program-5.js')).toContain('Invoices are sent on the first working day.')
  })

  it('gives Claude its memory', async () => {
    const { url, requests, close } = await startFakeModel({
      command: 'create',
      path: '/memories/drinks.md',
      file_text: 'tea',
    })
    const printed = await hold('program-2.js', { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' })
    await close()
    expect(printed).toContain('done')
    expect(JSON.stringify(requests.at(-1))).toContain('File created successfully at: /memories/drinks.md')
    const { items } = await service.client.listRecords({ query: { scope: 'user-4711' } })
    expect(items).toMatchObject([{ payload: { subject: '/memories/drinks.md', object: 'tea' } }])
  })

  it('gives a model of the AI SDK its memory', async () => {
    expect(JSON.parse(await hold('program-3.js'))).toEqual([
      ['system', 'user'],
      ['recall', 'remember', 'revise', 'reinforce'],
    ])
    const path = { conversation_id: 'chat-1' }
    const { items } = await service.client.listMessages({ path, query: { scope: 'user-4711' } })
    expect(items).toHaveLength(2)
  })

  it('gives a graph its store', async () => {
    const printed = await hold('program-4.js')
    expect(printed).toContain("namespace: [ 'users', 'ada' ]")
    expect(printed).toContain("[ [ 'drink', true ] ]\n[ [ 'users', 'ada' ] ]")
  })
})

/** A model that calls the tool once. Only the model is not real. */
async function startFakeModel(input: object) {
  const requests: unknown[] = []
  const server = createServer(async (request, response) => {
    requests.push(JSON.parse(Buffer.concat(await collect(request)).toString()))
    const isFirst = requests.length === 1
    const content = isFirst
      ? [{ type: 'tool_use', id: 'call', name: 'memory', input }]
      : [{ type: 'text', text: 'done' }]
    const message = { id: 'message', type: 'message', role: 'assistant', model: 'fake', content }
    const ending = { stop_reason: isFirst ? 'tool_use' : 'end_turn', stop_sequence: null }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...message, ...ending, usage: { input_tokens: 1, output_tokens: 1 } }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, requests, close: () => new Promise((closed) => server.close(closed)) }
}
