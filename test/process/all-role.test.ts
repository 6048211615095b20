import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { processPatienceMs, until } from '../support/processes/processes.ts'
import {
  findPid,
  launchRole,
  openMigratedDatabase,
  parseLogLines,
  waitForReadyUrl,
} from '../support/processes/roles.ts'
import { createDatabaseFolder } from '../support/servers/database-folder.ts'
import { isRunning, postmasterOf, readyPostmasterOf } from '../support/servers/postgres-processes.ts'

const policy = {
  decay: {
    curve: 'linear',
    half_life_seconds: 1_234,
    max_age_seconds: 0,
    min_salience: 0.1,
    reinforcement_gain: 0.2,
    max_salience: null,
  },
  deletion_policy: 'auto_prune',
}

async function putPolicy(url: string): Promise<void> {
  const answer = await fetch(`${url}/v1/policies/working`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(policy),
  })
  expect(answer.ok, await answer.text()).toBe(true)
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.trim().split(' ').map(Number)
}

async function isWorker(pid: number): Promise<boolean> {
  return (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0').includes('worker')
}

const told = {
  type: 'semantic',
  payload: { kind: 'semantic', subject: 's', predicate: 'p', object: 'told once' },
}

const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

/** The role check works on an embedded database that runs, beside its process, and on one that does not. */
async function expectLaws(dataDir: string): Promise<void> {
  const check = launchRole('check', { MEMBRANE_DATA_DIR: dataDir })
  expect(await check.ended, check.output()).toEqual({ code: 0, signal: null })
  expect(check.output()).toContain('Every law holds.')
}

async function readPolicy(url: string): Promise<unknown> {
  return (await fetch(`${url}/v1/policies/working`)).json()
}

it('the role all starts without configuration, stops at Ctrl-C, and keeps its data and what it must refuse over a restart', async () => {
  const dataDir = await createDatabaseFolder()
  const start = () => launchRole('all', { MEMBRANE_DATA_DIR: dataDir, PORT: '0' })
  const first = start()
  const url = await waitForReadyUrl(first)
  expect((await fetch(`${url}/docs`)).status).toBe(200)
  await putPolicy(url)
  const { id } = (await (await post(`${url}/v1/records`, told)).json()) as { id: string }
  const reason = { actor: 'desk', rationale: 'asked' }
  expect((await post(`${url}/v1/records/${id}/erase`, reason)).status).toBe(200)
  await until('the schedule to have run', () => parseLogLines(first).some(({ msg }) => msg === 'run ended'))
  await expectLaws(dataDir)
  const children = [await findPid(first, 'api'), await findPid(first, 'worker')]
  first.kill('SIGINT')
  first.kill('SIGINT')
  expect(await first.ended).toEqual({ code: 0, signal: null })
  expect(children.filter(isRunning)).toEqual([])
  expect(await postmasterOf(dataDir)).toBeUndefined()
  expect(first.output()).not.toMatch(/\n\s+at /)

  await expectLaws(dataDir)
  expect(await postmasterOf(dataDir)).toBeUndefined()

  const second = start()
  const again = await waitForReadyUrl(second)
  expect(await readPolicy(again)).toMatchObject(policy)
  const refused = await post(`${again}/v1/records`, told)
  expect(await refused.json()).toMatchObject({ status: 409, code: 'erased_content' })
  const key = (await readFile(join(dataDir, 'tombstone.key'), 'utf8')).trim()
  expect(first.output() + second.output()).not.toContain(key)
  second.kill('SIGTERM')
  expect(await second.ended).toEqual({ code: 0, signal: null })
})

it(
  'the role all restarts any killed process, and runs once per data folder',
  async () => {
    const dataDir = await createDatabaseFolder()
    const start = () => launchRole('all', { MEMBRANE_DATA_DIR: dataDir, PORT: '0' })
    const first = start()
    await putPolicy(await waitForReadyUrl(first))

    const other = start()
    expect(await other.ended).toEqual({ code: 1, signal: null })
    expect(other.output()).toContain(`already runs on ${dataDir} (process ${first.pid})`)

    const worker = await findPid(first, 'worker')
    process.kill(worker, 'SIGKILL')
    const children = [await findPid(first, 'api'), await findPid(first, 'worker', worker)]

    first.kill('SIGKILL')
    await until('the children to end', () => !children.some(isRunning), processPatienceMs)
    const second = start()
    expect(await readPolicy(await waitForReadyUrl(second))).toMatchObject(policy)

    const url = await waitForReadyUrl(second)
    const api = await findPid(second, 'api')
    // It starts after the API, and is given up if it ends too often before it has started.
    await findPid(second, 'worker')
    const killed = (await postmasterOf(dataDir)) ?? 0
    process.kill(killed, 'SIGKILL')
    const isReplaced = async () => ![undefined, killed].includes(await readyPostmasterOf(dataDir))
    await until('another server', isReplaced, processPatienceMs)
    await until('the API to be ready again', async () => (await fetch(`${url}/readyz`)).ok, processPatienceMs)
    expect(await readPolicy(url)).toMatchObject(policy)
    expect(await findPid(second, 'api')).toBe(api)

    let hasEnded = false
    void second.ended.then(() => {
      hasEnded = true
    })
    // Only a server that is ready is killed: one that is killed while it starts is started up to six times more.
    const endReadyServer = async () => {
      const postmaster = hasEnded ? undefined : await readyPostmasterOf(dataDir)
      if (postmaster !== undefined && isRunning(postmaster)) process.kill(postmaster, 'SIGKILL')
      return hasEnded
    }
    await until('the database to be given up', endReadyServer, processPatienceMs)
    expect(await second.ended).toEqual({ code: 1, signal: null })
    expect(second.output()).toContain('Membrane stops: the embedded database ended: it ended 3 times')
  },
  5 * processPatienceMs,
)

it('the role all reports at once that it cannot write its data folder', async () => {
  // Without a key it fails earlier, as the tests of the tombstone key show.
  const key = { MEMBRANE_TOMBSTONE_KEY: 'sixteen-characters-or-more' }
  const running = launchRole('all', { MEMBRANE_DATA_DIR: '/proc/x/y', ...key })
  expect(await running.ended).toEqual({ code: 1, signal: null })
  expect(running.output()).toContain('MEMBRANE_DATA_DIR')
  expect(running.output()).not.toMatch(/\n\s+at /)
})

it('the role all reports that its port is in use, and leaves no process behind', async () => {
  const database = await openMigratedDatabase()
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const running = launchRole('all', { DATABASE_URL: database.url, PORT: String(port) })
  expect(await running.ended).toEqual({ code: 1, signal: null })
  expect(running.output()).toContain(`another program listens on 127.0.0.1:${port}`)
  expect(running.output()).toContain('Membrane stops: the api cannot run')
  expect(isRunning(await findPid(running, 'worker'))).toBe(false)
})

it('the role all leaves no API behind when it is killed before its database has answered', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as { port: number }
  const running = launchRole('all', { DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none`, PORT: '0' })
  await once(silent, 'connection')
  const [api] = await childrenOf(running.pid)
  expect(api).toSatisfy(isRunning)
  running.kill('SIGKILL')
  await running.ended
  await until('the API to end', () => !isRunning(api ?? 0), processPatienceMs)
})

it('the role all ends with a reason when a child process fails repeatedly', async () => {
  const database = await openMigratedDatabase()
  const running = launchRole('all', { DATABASE_URL: database.url, PORT: '0' })
  let hasEnded = false
  void running.ended.then(() => {
    hasEnded = true
  })
  // Killed as soon as it exists: on a busy machine it takes longer than 10 seconds to write its first log line.
  const endWorker = async () => {
    for (const child of await childrenOf(running.pid))
      if (await isWorker(child)) process.kill(child, 'SIGKILL')
    return hasEnded
  }
  await until('the worker to be given up', endWorker, processPatienceMs)
  expect(await running.ended).toEqual({ code: 1, signal: null })
  expect(running.output()).toContain(
    'Membrane stops: the worker cannot run: it ended 3 times within 10 seconds',
  )
})
