import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
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
  const env = { ...process.env, MEMBRANE_API_KEY: key }
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args, '--url', app.url], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr })
    })
  })
}

it('sends a file, prints the summary and ends with 0', async () => {
  const dry = await runImport([fixture('mem0-typescript.json'), '--dry-run', '--scope', 'team'])
  expect(dry.output).toContain('Prefers tea over coffee')
  const ended = await runImport([fixture('mem0-typescript.json'), '--format', 'mem0', '--scope', 'team'])
  expect(ended).toEqual({ code: 0, output: 'mem0: 1 created, 0 unchanged, 0 conflict, 0 invalid\n' })
})

it('prints refused lines and ends with 1', async () => {
  const { code, output } = await runImport([fixture('mcp-memory.jsonl')])
  expect(code).toBe(1)
  expect(output).toContain('line 4: invalid: malformed_json')
  expect(output).toContain('5 created, 0 unchanged, 0 conflict, 1 invalid')
})

it('ends with 1 when the service refuses the request or the file is missing', async () => {
  expect(await runImport([fixture('chatgpt.json')], 'no key')).toMatchObject({
    code: 1,
    output: expect.stringContaining('401'),
  })
  expect((await runImport([fixture('no-such-file.json')])).code).toBe(1)
})
