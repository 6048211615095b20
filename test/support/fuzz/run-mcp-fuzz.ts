import type { AddressInfo } from 'node:net'
import type { TestApp } from '../test-app.ts'
import { describeRequest, type HostileRequest } from './hostile-request.ts'
import { findMcpFaults, readAnswer } from './judge-mcp-answer.ts'
import { isFault } from './log-faults.ts'
import { composeBrokenMessage, composeToolCall } from './mcp-requests.ts'
import { issueScopedKeys, prepareFuzzStore } from './prepare-store.ts'
import { createRandom } from './random.ts'
import { sendRawRequest } from './send-raw-request.ts'
import { watchHiddenRecords } from './watch-hidden-records.ts'
import { watchWrites } from './watch-writes.ts'

type Extent = { seed: number; rounds: number; seconds: number; only: string; scoped: boolean }
export type McpFuzzReport = { sent: number; accepted: Map<string, number>; findings: string[] }

const maxFindings = 20
const callsOfOneGround = 300

/** Sends hostile messages to `/mcp`: calls of each tool in turn, and messages that are none. */
export async function runMcpFuzz(app: TestApp, extent: Extent): Promise<McpFuzzReport> {
  const { seed, rounds, seconds, only, scoped } = extent
  const random = createRandom(seed)
  const store = await prepareFuzzStore(app, random, scoped ? issueScopedKeys : issueManyKeys)
  const tools = app.services.mcp.toolset.tools.filter(({ name }) => `mcp ${name}`.includes(only))
  const range = await openRange(app, scoped)
  if (tools.length === 0) return range.report
  await range.renew()
  const end = performance.now() + seconds * 1_000
  for (let round = 0, renewed = 0; round < rounds || performance.now() < end; round++) {
    if (range.report.sent - renewed > callsOfOneGround) {
      await store.refresh()
      await range.renew()
      renewed = range.report.sent
    }
    for (const tool of tools) {
      await range.attack(composeToolCall(tool, store), tool.hints.readOnlyHint)
      if (random.chance(0.3)) await range.attack(composeBrokenMessage(tools, store), false)
      if (range.report.findings.length >= maxFindings) return range.report
    }
  }
  return range.report
}

async function issueManyKeys(app: TestApp): Promise<string[]> {
  const everything = ['records:read', 'records:write', 'lifecycle:write', 'maintenance:run'] as const
  const alone = await Promise.all(everything.map((permission) => app.issueKey([permission])))
  const scoped = await app.issueKey(everything, { scopes: ['mine', 'theirs'], max_sensitivity: 'medium' })
  return [...Array(6).fill('root-key-of-the-tests'), ...alone, scoped, scoped, 'mbk_unknown']
}

async function openRange(app: TestApp, scoped: boolean) {
  const { pool } = app.database
  const writes = await watchWrites(pool)
  const outside = watchHiddenRecords(pool, scoped)
  const { port } = app.app.server.address() as AddressInfo
  const report: McpFuzzReport = { sent: 0, accepted: new Map(), findings: [] }
  let hiddenIds: string[] = []

  async function settle(): Promise<string[]> {
    await app.services.keys.finishWrites()
    await app.services.access.flush()
    return writes.drain()
  }

  /** After the store was filled again. */
  async function renew(): Promise<void> {
    await settle()
    await outside.remember()
    // A record one level above the ceiling is shown without content, so its id is no secret.
    const { rows } = scoped
      ? await pool.query(`select id from records where scope not in ('mine', '') or sensitivity > 'medium'`)
      : { rows: [] }
    hiddenIds = rows.map(({ id }) => String(id))
  }

  async function attack(hostile: HostileRequest, readsOnly: boolean): Promise<void> {
    const logStart = app.log.length
    const received = await sendRawRequest(port, hostile)
    const written = await settle()
    report.sent++
    const answer = received && readAnswer(received)
    if (answer?.messages[0]?.result && !answer.messages[0].result.isError)
      report.accepted.set(hostile.operation, (report.accepted.get(hostile.operation) ?? 0) + 1)
    const asked = hostile.body?.toString().toLowerCase() ?? ''
    const shown = hiddenIds.filter((id) => received?.text.includes(id) && !asked.includes(id))
    const faults = [
      ...findMcpFaults(answer, { readsOnly, written }),
      ...(await outside.findChanged()),
      ...shown.map((id) => `shows the hidden ${id}`),
      ...app.log.slice(logStart).filter(isFault),
    ]
    for (const fault of faults)
      report.findings.push(
        `${report.sent}. ${hostile.operation}: ${fault}\n${describeRequest(hostile)}\n→ ${received?.status} ${received?.text.slice(0, 600)}`,
      )
  }

  return { report, renew, attack }
}
