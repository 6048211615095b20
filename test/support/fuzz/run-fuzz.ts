import type { AddressInfo } from 'node:net'
import { createContractCheck, type Document } from '../http/openapi-contract.ts'
import { operations } from '../http/openapi-operations.ts'
import type { TestApp } from '../test-app.ts'
import { composeRequest } from './compose-request.ts'
import { describeRequest, type HostileRequest } from './hostile-request.ts'
import { findAnswerFaults } from './judge-answer.ts'
import { isFault } from './log-faults.ts'
import { issueScopedKeys, prepareFuzzStore } from './prepare-store.ts'
import { createRandom } from './random.ts'
import { rememberRequests } from './remember-requests.ts'
import { type Received, sendRawRequest } from './send-raw-request.ts'
import { watchHiddenRecords } from './watch-hidden-records.ts'
import { watchWrites } from './watch-writes.ts'

export type Finding = { number: number; fault: string; operation: string; attack: string; answer: string }
export type FuzzReport = {
  sent: number
  /** The longest time of an answer, in milliseconds. */
  slowest: number
  /** Requests whose every write was observed. */
  tables: number
  /** How often each operation answered each status; 0 stands for no answer. */
  statuses: Map<string, Map<number, number>>
  findings: Finding[]
  /** A text that names records, and the last requests that named them. */
  trace(text: string): string
}
/** `only` is a part of the names of the operations. */
export type FuzzOptions = {
  seed: number
  rounds: number
  seconds: number
  only: string
  /** Uses keys of one scope and a low ceiling only; records outside their trust must not change. */
  scoped?: boolean
}

const maxFindings = 40
/** The first records are soon erased, merged and revoked, so the store is filled again. */
const requestsOfOneGround = 250

/** Sends hostile requests to every operation in turn, until the rounds and the seconds are over. */
export async function runFuzz(app: TestApp, extent: FuzzOptions): Promise<FuzzReport> {
  const { seed, rounds, seconds, only, scoped = false } = extent
  const field = await prepareFuzzStore(app, createRandom(seed), scoped ? issueScopedKeys : undefined)
  const outside = watchHiddenRecords(app.database.pool, scoped)
  await outside.remember()
  const range = await openRange(app, outside.findChanged)
  const attacked = operations.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()))
  const end = performance.now() + seconds * 1_000
  for (let round = 0, renewed = 0; round < rounds || performance.now() < end; round++) {
    if (range.tally.sent - renewed >= requestsOfOneGround) {
      await range.storm(attacked.map((operation) => composeRequest(operation, field)))
      await field.refresh()
      await outside.remember()
      renewed = range.tally.sent
    }
    await range.drain()
    app.log.length = 0
    for (const operation of attacked) {
      const received = await range.attack(composeRequest(operation, field))
      if (received && received.status < 300) field.learn(received.text)
      if (range.tally.findings.length >= maxFindings) return range.tally
    }
  }
  return range.tally
}

async function openRange(app: TestApp, findOutside: () => Promise<string[]>) {
  const writes = await watchWrites(app.database.pool)
  const verify = createContractCheck(app.app.swagger() as unknown as Document)
  const { port } = app.app.server.address() as AddressInfo
  const requests = rememberRequests()
  const tally: FuzzReport = {
    sent: 0,
    slowest: 0,
    tables: writes.tables,
    statuses: new Map(),
    findings: [],
    trace: requests.describe,
  }

  /** Writes after the answer, such as accesses, are observed too. */
  async function drain(): Promise<string[]> {
    await app.services.keys.finishWrites()
    await app.services.access.flush()
    return writes.drain()
  }

  function recordAnswer(
    attacked: HostileRequest,
    received: Received | undefined,
    more: readonly string[],
  ): void {
    tally.sent++
    tally.slowest = Math.max(tally.slowest, received?.milliseconds ?? 0)
    count(tally.statuses, attacked.operation, received?.status ?? 0)
    const { attack, answer } = shown(attacked, received)
    requests.add(tally.sent, attack, answer)
    for (const fault of [...findAnswerFaults(attacked, received, verify), ...more]) {
      note(tally.findings, { number: tally.sent, fault, ...shown(attacked, received) })
    }
  }

  async function attack(attacked: HostileRequest): Promise<Received | undefined> {
    const logStart = app.log.length
    const received = await sendRawRequest(port, attacked)
    const refusal = faultsOfRefusal(attacked, received, await drain())
    const outside = await findOutside()
    recordAnswer(attacked, received, [...refusal, ...outside, ...app.log.slice(logStart).filter(isFault)])
    return received
  }

  /** Sends several requests at once; a write or a log line then belongs to any of them. */
  async function storm(attacks: readonly HostileRequest[]): Promise<void> {
    const logStart = app.log.length
    const answers = await Promise.all(
      attacks.map(async (each) => [each, await sendRawRequest(port, each)] as const),
    )
    await drain()
    for (const [each, received] of answers) recordAnswer(each, received, [])
    const [first] = answers
    if (first) recordAnswer(...first, [...(await findOutside()), ...app.log.slice(logStart).filter(isFault)])
  }

  return { attack, storm, drain, tally }
}

function faultsOfRefusal(
  { target }: HostileRequest,
  received: Received | undefined,
  written: readonly string[],
): string[] {
  if (written.length === 0) return []
  const isRefused = received === undefined || received.status >= 400
  if (isRefused) return [`refused, and yet written: ${written.join(', ')}`]
  return /[?&]dry_run=true(?:&|$)/.test(target) ? [`dry, and yet written: ${written.join(', ')}`] : []
}

function shown(attack: HostileRequest, received: Received | undefined) {
  const answer = received ? `${received.status} ${received.text.slice(0, 600)}` : 'none'
  return { operation: attack.operation, attack: describeRequest(attack), answer }
}

/** Records the same fault of the same operation once. */
function note(findings: Finding[], finding: Finding): void {
  const kind = ({ operation, fault }: Finding) => `${operation} ${fault.slice(0, 60)}`
  if (!findings.some((each) => kind(each) === kind(finding))) findings.push(finding)
}

function count(statuses: Map<string, Map<number, number>>, operation: string, status: number): void {
  const counts = statuses.get(operation) ?? new Map<number, number>()
  statuses.set(operation, counts.set(status, (counts.get(status) ?? 0) + 1))
}
