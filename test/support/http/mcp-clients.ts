import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Body } from '../requests/record-requests.ts'
import { rootKey, type TestApp } from '../test-app.ts'

type Options = { key?: string; profile?: string; name?: string; headers?: Record<string, string> }

const info = (name: string) => ({ name, version: '1.0.0' })

function targetOf(app: TestApp, { key = rootKey, profile, headers = {} }: Options) {
  const url = new URL(`${app.url}/mcp`)
  if (profile !== undefined) url.searchParams.set('profile', profile)
  return { url, options: { requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } } } }
}

/** A client of the revision 2026-07-28. */
export async function connectClient(app: TestApp, { name = 'tests', ...options }: Options = {}) {
  const { url, options: transport } = targetOf(app, options)
  const client = new Client(info(name), { versionNegotiation: { mode: { pin: '2026-07-28' } } })
  await client.connect(new StreamableHTTPClientTransport(url, transport))
  return client
}

/** A client of a revision of 2025. */
export async function connectEarlierClient(app: TestApp, { name = 'tests', ...options }: Options = {}) {
  const { url, options: transport } = targetOf(app, options)
  const client = new EarlierClient(info(name))
  await client.connect(new EarlierTransport(url, transport))
  return client
}

type Caller = { callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<Body> }

/** Calls a tool and returns its structured answer; throws if it is an error. */
export async function callTool(
  client: Caller,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Body> {
  const result = await client.callTool({ name, arguments: args })
  if (result.isError) throw new Error(`${name}: ${result.content[0].text}`)
  return result.structuredContent
}

/** Calls a tool that must fail, and returns the error that the model reads. */
export async function failTool(
  client: Caller,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Body> {
  const result = await client.callTool({ name, arguments: args })
  if (!result.isError) throw new Error(`${name} did not fail`)
  return JSON.parse(result.content[0].text)
}
