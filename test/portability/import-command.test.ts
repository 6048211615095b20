import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Body, read } from '../support/requests/record-requests.ts'
import { rootKey, startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const script = fileURLToPath(new URL('../../scripts/import.ts', import.meta.url))
const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))

type Ended = { code: number; output: string }

function runImport(args: readonly string[], key = rootKey): Promise<Ended> {
  return runScript([...args, '--url', app.url], { MEMBRANE_API_KEY: key })
}

function runScript(args: readonly string[], variables: Record<string, string>): Promise<Ended> {
  const env = { ...process.env, ...variables }
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr })
    })
  })
}

it('sends a file, prints the summary and ends with 0', async () => {
  const dry = await runImport([fixture('mem0-typescript.json'), '--dry-run', '--scope', 'team'])
  expect(dry.output).toBe(
    [
      'The first records as they would be stored:',
      '  2025-01-10 semantic: nora note Prefers tea over coffee',
      'A dry run: nothing was stored.',
      'mem0: 1 created, 0 unchanged, 0 conflict, 0 invalid\n',
    ].join('\n'),
  )
  const full = await runImport([fixture('mem0-typescript.json'), '--dry-run', '--full'])
  expect(JSON.parse(full.output.split('\n')[1] ?? '')).toMatchObject({
    payload: { object: 'Prefers tea over coffee' },
  })
  const ended = await runImport([fixture('mem0-typescript.json'), '--format', 'mem0', '--scope', 'team'])
  expect(ended).toEqual({ code: 0, output: 'mem0: 1 created, 0 unchanged, 0 conflict, 0 invalid\n' })
})

it('prints refused lines and ends with 1', async () => {
  const { code, output } = await runImport([fixture('mcp-memory.jsonl')])
  expect(code).toBe(1)
  expect(output).toContain('line 4: invalid: malformed_json')
  expect(output).toContain('5 created, 0 unchanged, 0 conflict, 1 invalid')
})

it('names the record of a conflict', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'conflicts-'))
  const file = join(folder, 'memories.json')
  const importText = async (memory: string) => {
    await writeFile(file, JSON.stringify([{ id: 'changed', memory, user_id: 'nora' }]))
    return runImport([file, '--format', 'mem0', '--scope', 'conflicts'])
  }
  await importText('Prefers tea')
  const { body } = await app.request('GET', '/v1/records?scope=conflicts')
  const { code, output } = await importText('Prefers coffee')
  await rm(folder, { recursive: true })
  expect(code).toBe(1)
  expect(output).toContain('line 1: conflict: record_exists: ')
  expect(output).toContain(` (record ${(body as Body).items[0].id})\n`)
})

it('ends with 1 when the file is missing', async () => {
  expect((await runImport([fixture('no-such-file.json')])).code).toBe(1)
})

it('says that one file must be named, and what the service refuses, in words', async () => {
  for (const args of [[], ['a', 'b']])
    expect(await runImport(args)).toEqual({
      code: 2,
      output: 'One FILE must be named; --help lists the arguments.\n',
    })
  const { code, output } = await runImport([fixture('chatgpt.json'), '--format', 'word'])
  expect(code).toBe(1)
  expect(output).toMatch(/^422 validation_failed: \?format must be one of membrane, mem0, [^{]*\n$/)
})

it('sends no key if the variable is empty', async () => {
  const { output } = await runImport([fixture('mem0-typescript.json')], ' ')
  expect(output).toBe('401 unauthenticated: This operation needs a key: Authorization: Bearer <key>.\n')
})

it('says where it looked for a service if none answers', async () => {
  // Nothing listens on a port below 1024 that has no service; `fetch` refuses port 1 itself.
  const { code, output } = await runScript([fixture('mem0-typescript.json')], {
    HOST: '127.0.0.1',
    PORT: '2',
  })
  expect({ code, output }).toEqual({
    code: 1,
    output: 'No service answers at http://127.0.0.1:2. Start one, or name its address with --url.\n',
  })
})

it('sends to the service at HOST and PORT', async () => {
  const { hostname, port } = new URL(app.url)
  const variables = { MEMBRANE_API_KEY: rootKey, HOST: hostname, PORT: port }
  const file = fixture('mem0-typescript.json')
  expect(await runScript([file, '--scope', 'here'], variables)).toMatchObject({
    code: 0,
    output: expect.stringContaining('1 created'),
  })
})

describe('a damaged file, and one that holds commands to a terminal', () => {
  const command = '\u001b]0;owned\u0007\u009b2J'
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'commands-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function runWith(name: string, text: string, more: string[] = []): Promise<string> {
    const path = join(await mkdtemp(join(folder, 'files-')), name)
    await writeFile(path, text)
    return (await runImport([path, ...more])).output
  }

  it('has no place named where the whole item is wrong', async () => {
    const output = await runWith('no-objects.json', '[{"id":"1","memory":"likes tea"},7]')
    expect(output).toContain('line 2: invalid: validation_failed: must be an object\n')
  })

  it('has them printed as codes, in names of files and fields, samples and errors', async () => {
    const outputs = {
      'the name of a note': await runWith(`${command}\nmem0: 9 created.md`, '---\ncreated: soon\n---\nText.'),
      'the name of a field': await runWith('lines.jsonl', JSON.stringify({ payload: {}, [command]: 1 })),
      'a sample': await runWith('a.json', JSON.stringify([{ id: 'a', memory: `tea ${command} \u202e` }]), [
        '--dry-run',
      ]),
      'an error': (await runImport([join(folder, command)])).output,
    }
    for (const [place, output] of Object.entries(outputs)) {
      expect.soft(output, place).toMatch(/\\u001b\]0;owned\\u0007\\u009b2J/)
      expect.soft(output, place).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u)
    }
    expect(outputs['the name of a note']).not.toMatch(/^mem0/m)
  })
})

describe('a folder of notes', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'notes-'))
    const files = {
      'plain.md': 'A note without fields.',
      'a/index.md': '---\ntitle: Index\n---\nText of ä.',
      'b/index.md': '---\ntitle: Index\ncreated: soon\n---\nText of b.',
      'a/.hidden.md': 'hidden',
      '.trash/old.md': 'hidden',
      'a/image.png': 'no note',
    }
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder, name, '..'), { recursive: true })
      await writeFile(join(folder, name), text)
    }
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is sent as an archive, and a refused note is named', async () => {
    const first = await runImport([folder, '--scope', 'vault'])
    expect(first).toMatchObject({ code: 1, output: expect.stringContaining('b/index.md: invalid') })
    expect(first.output).toContain('basic-memory: 4 created, 0 unchanged, 0 conflict, 1 invalid')
    const single = await runImport([join(folder, 'plain.md'), '--format', 'basic-memory', '--scope', 'vault'])
    expect(single).toEqual({
      code: 0,
      output: 'basic-memory: 0 created, 2 unchanged, 0 conflict, 0 invalid\n',
    })
    const { body } = await app.request('GET', '/v1/records?type=entity&scope=vault')
    const records = await Promise.all((body as Body).items.map(({ id }: Body) => read(app, id)))
    expect(records.map(({ payload }) => payload.canonical_name).sort()).toEqual(['Index', 'plain'])
  })

  it('is refused when it is empty or has another format', async () => {
    const empty = await mkdtemp(join(folder, 'empty-'))
    expect(await runImport([empty])).toMatchObject({ code: 1, output: expect.stringContaining('*.md') })
    expect(await runImport([folder, '--format', 'mem0'])).toMatchObject({
      code: 1,
      output: expect.stringContaining('can only have the format basic-memory'),
    })
  })
})
