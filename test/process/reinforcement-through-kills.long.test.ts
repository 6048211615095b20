import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, it, onTestFinished } from 'vitest'
import { until } from '../support/processes/processes.ts'
import { findPid, launchRole, waitForReadyUrl } from '../support/processes/roles.ts'
import { createDatabaseFolder } from '../support/servers/database-folder.ts'
import { findFreePort, postmasterOf } from '../support/servers/postgres-processes.ts'
import { openRedis } from '../support/servers/redis-server.ts'

type Body = Record<string, unknown>

/** Asks until there is an answer that is not an outage, as a client does that wants its effect exactly once. */
async function insist(url: string, path: string, body: Body, key: string): Promise<Body> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key }
  return until(
    `an answer to ${path}`,
    async () => {
      try {
        const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
        const answer = (await response.json()) as Body
        if (response.status < 300) return answer
        // Its first try may still be running when the second one comes.
        if (response.status >= 500 || answer['code'] === 'request_in_progress') return undefined
        throw new Error(`${path} was refused: ${JSON.stringify(answer)}`)
      } catch (error) {
        if (error instanceof TypeError || error instanceof SyntaxError) return undefined
        throw error
      }
    },
    40_000,
  )
}

async function read(url: string, path: string): Promise<Body> {
  return (await fetch(`${url}${path}`)).json() as Promise<Body>
}

async function countReinforcements(url: string, id: string): Promise<number> {
  let count = 0
  for (let cursor: unknown = ''; cursor !== undefined; ) {
    const page = await read(
      url,
      `/v1/records/${id}/audit?limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`,
    )
    count += (page['items'] as Body[]).filter((entry) => entry['action'] === 'reinforce').length
    cursor = page['next_cursor']
  }
  return count
}

/** PostgreSQL takes one killed backend for a crash: it ends all others and recovers from its log. */
async function crashDatabase(dataDir: string): Promise<void> {
  const backends = execFileSync('pgrep', ['-P', String(await postmasterOf(dataDir)), '-f', 'membrane'], {
    encoding: 'utf8',
  })
  process.kill(Number(backends.split('\n')[0]), 'SIGKILL')
}

it('every reinforcement of a storm counts once, though API, worker, database and Redis are killed in it', async () => {
  const redis = inject('redisUrl') === null ? undefined : await openRedis()
  const dataDir = await createDatabaseFolder()
  const port = await findFreePort()
  const all = launchRole('all', {
    MEMBRANE_DATA_DIR: dataDir,
    PORT: String(port),
    ...(redis ? { REDIS_URL: redis.url } : {}),
  })
  onTestFinished(async () => {
    all.kill('SIGTERM')
    await all.ended
    redis?.stop()
  })
  const url = await waitForReadyUrl(all)

  const decay = { half_life_seconds: 1e11, reinforcement_gain: 0.001, max_salience: null }
  const fact = { kind: 'semantic', subject: 's', predicate: 'p', object: 1 }
  const ids: string[] = []
  for (let index = 0; index < 8; index++) {
    const body = { type: 'semantic', lifecycle: { decay }, payload: fact }
    ids.push(String((await insist(url, '/v1/records', body, `create-${index}`))['id']))
  }

  const reason = { actor: 'storm', rationale: 'it helped' }
  const done = ids.map(() => 0)
  let isOver = false
  const clients = ids.flatMap((id, index) =>
    [0, 1].map(async (client) => {
      for (let nth = 0; !isOver; nth++) {
        await insist(url, `/v1/records/${id}/reinforce`, reason, `${id}-${client}-${nth}`)
        done[index] = (done[index] ?? 0) + 1
      }
    }),
  )
  const first = { api: await findPid(all, 'api'), worker: await findPid(all, 'worker') }
  await sleep(500)
  process.kill(first.api, 'SIGKILL')
  await findPid(all, 'api', first.api)
  const run = await insist(url, '/v1/maintenance/runs', { job: 'decay' }, 'decay')
  process.kill(first.worker, 'SIGKILL')
  await sleep(500)
  await crashDatabase(dataDir)
  redis?.stop()
  await sleep(1_000)
  isOver = true
  await Promise.all(clients)

  expect(Math.min(...done)).toBeGreaterThan(0)
  for (const [index, id] of ids.entries()) {
    const record = await read(url, `/v1/records/${id}`)
    expect(record['version']).toBe(1 + (done[index] ?? 0))
    expect(record['salience']).toBeCloseTo(1 + 0.001 * (done[index] ?? 0), 6)
    expect(await countReinforcements(url, id)).toBe(done[index])
  }
  const ended = await until(
    'the run to end',
    async () => {
      const seen = await read(url, `/v1/maintenance/runs/${run['id']}`)
      return ['succeeded', 'failed', 'cancelled'].includes(String(seen['status'])) ? seen : undefined
    },
    90_000,
  )
  expect(ended['status']).toBe('succeeded')
})
