import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, it } from 'vitest'
import { verifyLoad } from '../support/checks/verify-load.ts'
import { openFaultEnvironment } from '../support/processes/fault-environment.ts'
import { until } from '../support/processes/processes.ts'
import { startLoad } from '../support/requests/client-load.ts'

/** More than the processes use together, about 45: the check of the store needs some beside them. */
const mostSessions = 60
const settings = [`max_connections=${mostSessions}`]

async function openSession(url: string): Promise<pg.Client> {
  const session = new pg.Client({ connectionString: url })
  session.on('error', () => {})
  await session.connect()
  return session
}

it('with an exhausted pool a few requests are served, some wait, and the others are refused at once', async () => {
  const variables = { MEMBRANE_POOL_SIZE: '4' }
  const { processes, url } = await openFaultEnvironment({ settings, variables })
  const { ledger, end } = startLoad(processes.urls, 8)
  await sleep(1_000)
  const blocker = await openSession(url)
  await blocker.query('begin')
  await blocker.query('lock table records in access exclusive mode')
  const flood = Array.from({ length: 200 }, () => timed(`${processes.urls[0]}/v1/records`))
  await sleep(4_000)
  expect((await fetch(`${processes.urls[0]}/livez`)).status).toBe(200)
  await blocker.query('rollback')
  const freed = performance.now()
  const answers = await Promise.all(flood)
  const shed = answers.filter(({ status }) => status === 503)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
  expect(shed.every(({ retryAfter }) => retryAfter !== null)).toBe(true)
  expect(shed.filter(({ ms }) => ms < 2_000).length).toBeGreaterThan(100)
  await until('a write to be acknowledged', () => ledger.at > freed, 30_000)
  process.stdout.write(
    `  200 requests on 4 connections: ${answers.length - shed.length} served, ${shed.length} shed, `,
  )
  process.stdout.write(`a write ${Math.round(ledger.at - freed)} ms after the lock went\n`)
  await blocker.end()
  await end()
  await verifyLoad('the pool exhausted', url, processes, ledger)
})

it('an API without a free PostgreSQL session answers 503 and recovers', async () => {
  const { processes, url } = await openFaultEnvironment({ settings })
  const { ledger, end } = startLoad(processes.urls, 8)
  await sleep(1_000)
  const greedy = await Promise.allSettled(Array.from({ length: 1.5 * mostSessions }, () => openSession(url)))
  const sessions = greedy.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
  for (let nth = 0; nth < processes.size; nth++) processes.kill(nth)
  const hogs = await Promise.allSettled(Array.from({ length: 1.5 * mostSessions }, () => openSession(url)))
  sessions.push(...hogs.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])))
  await sleep(5_000)
  await Promise.all(sessions.map((session) => session.end()))
  const freed = performance.now()
  await until('a write to be acknowledged', () => ledger.at > freed, 60_000)
  process.stdout.write(
    `  ${sessions.length} of ${mostSessions} sessions taken: a write ${Math.round(ledger.at - freed)} ms after they went\n`,
  )
  await end()
  await verifyLoad('no session left', url, processes, ledger)
})

async function timed(url: string): Promise<{ status: number; retryAfter: string | null; ms: number }> {
  const began = performance.now()
  const answer = await fetch(url)
  await answer.text()
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    ms: performance.now() - began,
  }
}
