import { resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, test } from 'vitest'
import { callTool } from '../support/http/mcp-clients.ts'
import { until } from '../support/processes/processes.ts'
import { createDatabaseFolder } from '../support/servers/database-folder.ts'
import { findFreePort } from '../support/servers/postgres-processes.ts'

const main = resolve(import.meta.dirname, '../../src/main.ts')
const isUpAt = (port: number) =>
  fetch(`http://127.0.0.1:${port}/livez`).then(
    () => true,
    () => false,
  )

/** The first message waits until the database was created. */
const options = { timeout: 100_000 }

test('starts the embedded service, answers from it, and stops it when the client leaves', async () => {
  // A port that another process has would end the service before it answers.
  const port = await findFreePort()
  const isUp = () => isUpAt(port)
  const client = new Client(
    { name: 'desk', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' }, probe: { timeoutMs: 100_000 } } },
  )
  const env = {
    PATH: process.env['PATH'] ?? '',
    PORT: String(port),
    MEMBRANE_DATA_DIR: await createDatabaseFolder(),
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp'],
    env,
    stderr: 'ignore',
  })
  await client.connect(transport, options)
  const { id } = await callTool(client, 'remember', { text: 'The service was not running.' })
  expect((await callTool(client, 'get', { id })).record.audit_log[0].actor).toBe('anonymous/desk')
  expect(await isUp()).toBe(true)
  await client.close()
  await until('the end of the service', async () => !(await isUp()), 100_000)
})
