import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert, median } from '../load.ts'
import { type Running, startProduct } from '../processes.ts'
import { makeMemory } from '../records/memories.ts'
import type { Result } from '../result.ts'

const rounds = 3
const writers = 8
const beforeMs = 1_000
/** A child that ends three times before this age is not started again. */
const grownMs = 10_500
const deadlineMs = 60_000

type Killed = { awayMs: number[]; acknowledged: number; lost: number; twice: number }

/**
 * Measures `kill -9` of the API, and of all processes, during writes: how long no request is served, and which writes
 * are lost.
 */
export async function measureKilling(environment: Record<string, string>): Promise<Result[]> {
  const running = await startProduct('all', environment)
  const api = await repeat(running, grownMs, async () => {
    process.kill(await apiOf(running.pid), 'SIGKILL')
    return running
  })
  let current = running
  const all = await repeat(running, 0, async () => {
    await killAll(current.pid)
    current = await startProduct('all', environment)
    return current
  })
  await current.stop()
  return [describe('the API', api), describe('all processes, database too', all)]
}

async function repeat(first: Running, restMs: number, kill: () => Promise<Running>): Promise<Killed> {
  const totals: Killed = { awayMs: [], acknowledged: 0, lost: 0, twice: 0 }
  let running = first
  for (let round = 0; round < rounds; round++) {
    await sleep(restMs)
    const writing = startWriting(running.url, round)
    await sleep(beforeMs)
    const killed = performance.now()
    running = await kill()
    await untilServed(running.url)
    totals.awayMs.push(performance.now() - killed)
    const acknowledged = await writing.stop()
    totals.acknowledged += acknowledged.length
    totals.lost += await countMissing(running.url, acknowledged)
    totals.twice += acknowledged.length - new Set(acknowledged).size
  }
  assert(totals.acknowledged > rounds * writers, `${totals.acknowledged} writes were answered`)
  return totals
}

/** Each writer writes as fast as it gets answers, until it is stopped. A refused or broken request is no write. */
function startWriting(url: string, round: number) {
  const acknowledged: string[] = []
  let isOver = false
  const loops = Array.from({ length: writers }, async (_, writer) => {
    for (let nth = 0; !isOver; nth++) {
      const id = await write(url, round * 1_000_000 + writer * 100_000 + nth)
      if (id === undefined) await sleep(20)
      else acknowledged.push(id)
    }
  })
  return {
    async stop(): Promise<readonly string[]> {
      isOver = true
      await Promise.all(loops)
      return acknowledged
    },
  }
}

async function write(url: string, index: number): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/v1/records`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(makeMemory(index)),
    })
    const { id } = (await answer.json()) as { id: string }
    return answer.status === 201 ? id : undefined
  } catch {
    return undefined
  }
}

/** One after the other: a service that has just started sheds load, which is not a loss. */
async function countMissing(url: string, ids: readonly string[]): Promise<number> {
  let missing = 0
  for (const id of ids) {
    const { status } = await fetch(`${url}/v1/records/${id}`)
    assert(status === 200 || status === 404, `a read was answered ${status}`)
    if (status === 404) missing++
  }
  return missing
}

async function untilServed(url: string): Promise<void> {
  const started = performance.now()
  while (!(await isServed(url))) {
    assert(performance.now() - started < deadlineMs, 'no request was served in time')
    await sleep(5)
  }
}

async function isServed(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/v1/records?limit=1`)).status === 200
  } catch {
    return false
  }
}

/** Kills the supervisor and all its descendants at once, so that none can clean up. */
async function killAll(pid: number): Promise<void> {
  const pids = [pid, ...(await descendantsOf(pid))]
  for (const each of pids) process.kill(each, 'SIGSTOP')
  for (const each of pids) process.kill(each, 'SIGKILL')
  await sleep(50)
}

async function apiOf(pid: number): Promise<number> {
  for (const child of await descendantsOf(pid)) {
    const command = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')
    if (command.split('\0').includes('api')) return child
  }
  throw new Error('the benchmark found no API process')
}

async function descendantsOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : ''
    const parent = /\) \S (\d+)/.exec(stat)?.[1]
    if (parent !== undefined) parents.set(Number(name), Number(parent))
  }
  const below = (of: number): number[] =>
    [...parents].flatMap(([child, parent]) => (parent === of ? [child, ...below(child)] : []))
  return below(pid)
}

function describe(what: string, { awayMs, acknowledged, lost, twice }: Killed): Result {
  return {
    work: `kill -9 of ${what} under ${writers} writers, until served again (median of ${rounds})`,
    measured: { value: median(awayMs) / 1_000, unit: 's' },
    mustReach: { text: 'no acknowledged write lost or doubled', reached: lost === 0 && twice === 0 },
    verified: 'every write that was answered 201 is read back afterwards',
    details: { slowest_s: Math.max(...awayMs) / 1_000, acknowledged, lost, twice },
  }
}
