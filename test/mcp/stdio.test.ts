import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { callTool, failTool } from '../support/http/mcp-clients.ts'
import { launch } from '../support/processes/processes.ts'
import { rootKey, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const main = resolve(import.meta.dirname, '../../src/main.ts')
const info = { name: 'desk', version: '1.0.0' }

const programFor = (args: readonly string[], key = rootKey) => ({
  command: process.execPath,
  args: [main, 'mcp', '--url', app.url, ...args],
  env: { PATH: process.env['PATH'] ?? '', MEMBRANE_API_KEY: key },
})

async function connect(args: readonly string[] = [], key?: string) {
  const client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new StdioClientTransport(programFor(args, key)))
  onTestFinished(() => client.close())
  return client
}

async function connectEarlier(args: readonly string[] = [], key?: string) {
  const client = new EarlierClient(info)
  await client.connect(new EarlierTransport(programFor(args, key)))
  onTestFinished(() => client.close())
  return client
}

it('serves clients of both eras in front of a running service', async () => {
  const client = await connect()
  const earlier = await connectEarlier(['--profile', 'lifecycle'])
  const { id, status } = await callTool(client, 'remember', { text: 'Said over standard input.' })
  expect(status).toBe('created')
  const again = await callTool(earlier as never, 'remember', { text: 'Said over standard input.' })
  expect(again).toMatchObject({ id, status: 'unchanged' })
  const { record } = await callTool(earlier as never, 'pin', { id, reason: 'kept' })
  expect(record.audit_log[0].actor).toBe('root/desk')
  const names = async (each: Pick<Client, 'listTools'>) =>
    (await each.listTools()).tools.map(({ name }) => name)
  expect(await names(client)).not.toContain('pin')
  const { contents } = await client.readResource({ uri: `memory://record/${id}` })
  expect(contents).toHaveLength(1)
  expect(await failTool(client, 'get', { id: 'no id' })).toMatchObject({ code: 'validation_failed' })
  await expect(client.callTool({ name: 'pin', arguments: {} })).rejects.toMatchObject({ code: -32_602 })
})

it('passes on numbers and line separators as they were written, and ends with its input', async () => {
  const child = spawn(process.execPath, [main, 'mcp', '--url', app.url], {
    env: { PATH: process.env['PATH'], MEMBRANE_API_KEY: rootKey },
  })
  const ended = once(child, 'close')
  const text = 'First line\u2028second line\u2029third line\u0085fourth line.'
  const params = ['{"name":"remember","arguments":{"text":12345678901234567890}}']
  params.push(JSON.stringify({ name: 'remember', arguments: { text } }))
  for (const [id, each] of params.entries())
    child.stdin.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${each}}\n`)
  child.stdin.end()
  const written = (await child.stdout.setEncoding('utf8').toArray()).join('')
  expect(await ended).toEqual([0, null])
  const answers = written.split('\n').filter(Boolean)
  expect(answers).toHaveLength(params.length)
  const [refused, stored] = answers.map((line) => JSON.parse(line)).sort((one, other) => one.id - other.id)
  // The service sees that the number is too large.
  expect(refused).toMatchObject({
    id: 0,
    result: { isError: true, content: [{ text: expect.stringContaining('too large') }] },
  })
  const { body } = await app.request('GET', `/v1/records/${stored.result.structuredContent.id}`)
  expect(body).toMatchObject({ payload: { object: text } })
})

it('tells the client why the service refuses', async () => {
  await expect(connectEarlier([], 'a-key-that-nobody-has')).rejects.toThrow('unauthenticated')
})

it('names the wrong arguments in the text of a refusal', async () => {
  await expect(connectEarlier(['--profile', 'all'])).rejects.toThrow(
    'validation_failed: The query string does not match the schema. ?profile must list some of core, lifecycle, openai.',
  )
})

/** Sends one request and returns the answer. */
async function sendTo(url: string) {
  const child = spawn(process.execPath, [main, 'mcp', '--url', url], {
    env: { PATH: process.env['PATH'], MEMBRANE_API_KEY: rootKey },
  })
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  return JSON.parse((await child.stdout.setEncoding('utf8').toArray()).join(''))
}

it('accepts the address of /mcp as that of the service', async () => {
  for (const end of ['/mcp', '/mcp/', '/'])
    expect(await sendTo(`${app.url}${end}`)).toMatchObject({ result: {} })
})

it('says where it looked for a service if none answers', async () => {
  // Nothing listens on a port below 1024 that has no service; `fetch` refuses port 1 itself.
  const { error } = await sendTo('http://127.0.0.1:2')
  expect(error.message).toMatch(
    /^No answer from http:\/\/127\.0\.0\.1:2 \(.*ECONNREFUSED.*\)\. Start the service, or name its address with --url\.$/,
  )
})

it('refuses arguments that it does not know', async () => {
  for (const args of [
    ['--port', '1'],
    ['--url', 'file:///etc'],
  ]) {
    const running = launch([main, 'mcp', ...args])
    expect(await running.ended).toMatchObject({ code: 2 })
    expect(running.output()).toMatch(/^[^\n]+; --help lists the arguments\.\n$/)
  }
})
