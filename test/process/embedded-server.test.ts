import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/embedded.ts'
import { launch, until } from '../support/processes/processes.ts'
import { createDatabaseFolder } from '../support/servers/database-folder.ts'
import { isRunning, postmasterOf } from '../support/servers/postgres-processes.ts'
import { testDataRoot } from '../support/test-data-root.ts'

const door = new URL('../../src/db/embedded/embedded.ts', import.meta.url).href

/** Starts the database, says its URL, and holds it until a signal comes. */
const holder = `
  import { startEmbeddedPostgres } from ${JSON.stringify(door)}
  const server = await startEmbeddedPostgres({ dataDir: process.argv[1], durable: process.argv[2] === 'durable', log: console.log }).catch((error) => {
    console.log(error.message)
    process.exit(1)
  })
  console.log('url ' + server.url)
  server.lost.then(() => { console.log('lost'); process.exit(1) })
  process.on('SIGTERM', () => server.stop().then(() => process.exit(0)))
`

const hold = (dataDir: string, durable = '') =>
  launch(['--input-type=module', '-e', holder, dataDir, durable])
const urlOf = async (running: ReturnType<typeof hold>) =>
  (await running.waitForOutput(/^url (\S+)/m))[1] ?? ''

async function ask(url: string, statement: string): Promise<pg.QueryResult> {
  const session = new pg.Client({ connectionString: url })
  session.on('error', () => {})
  await session.connect()
  try {
    return await session.query(statement)
  } finally {
    await session.end()
  }
}

const addressOf = 'select coalesce(host(inet_server_addr()), $$socket$$) as address'

it('the embedded server is reached over TCP where the path of a socket would be too long', async () => {
  const dataDir = join(await createDatabaseFolder(), 'a'.repeat(90))
  const { url, stop } = await startEmbeddedPostgres({ dataDir, durable: false })
  expect((await ask(url, addressOf)).rows).toEqual([{ address: '127.0.0.1' }])
  await stop()
})

describe('a running embedded server', () => {
  let dataDir: string
  let server: EmbeddedPostgres

  beforeAll(async () => {
    dataDir = await mkdtemp(join(testDataRoot, 'membrane-data-'))
    server = await startEmbeddedPostgres({ dataDir })
  })

  afterAll(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true })
  })

  it('is reached through its Unix socket, and over TCP by other programs', async () => {
    expect((await ask(server.url, addressOf)).rows).toEqual([{ address: 'socket' }])
    const overTcp = new URL(server.url)
    overTcp.search = ''
    expect(overTcp.port).toBe(String(server.port))
    expect((await ask(overTcp.href, addressOf)).rows).toEqual([{ address: '127.0.0.1' }])
  })

  it('is durable by default', async () => {
    const { rows } = await ask(
      server.url,
      `select current_setting('fsync') || current_setting('synchronous_commit') as held`,
    )
    expect(rows).toEqual([{ held: 'onon' }])
  })

  it('sorts and folds Unicode in the same way on every machine', async () => {
    const { rows } = await ask(
      server.url,
      `select current_setting('server_encoding') as encoding, lower('É') as lower,
         (select string_agg(v, '' order by v) from unnest(array['b', 'A', 'a', 'B']) v) as ordered`,
    )
    expect(rows).toEqual([{ encoding: 'UTF8', lower: 'é', ordered: 'ABab' }])
  })

  it('requires its password, which only its owner can read', async () => {
    const guess = new URL(server.url)
    guess.password = 'wrong'
    await expect(ask(guess.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
    expect((await stat(join(dataDir, 'postgres', 'membrane.password'))).mode & 0o777).toBe(0o600)
  })

  it('writes no statements and values to its log', async () => {
    await ask(server.url, 'create table once (secret text primary key)')
    await ask(server.url, "insert into once values ('a memory')")
    await expect(ask(server.url, "insert into once values ('a memory')")).rejects.toMatchObject({
      code: '23505',
    })
    const log = await readFile(join(dataDir, 'postgres.log'), 'utf8')
    expect(log).toContain('duplicate key value')
    expect(log).not.toContain('a memory')
  })
})

it('the embedded server gives its folder to one process, also while it recovers from a crashed session, and reports that it has ended for good', async () => {
  const dataDir = await createDatabaseFolder()
  const first = hold(dataDir)
  const url = await urlOf(first)
  const second = hold(dataDir)
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.output()).toContain(`already runs on ${dataDir} (process ${first.pid})`)
  const victim = `select pid from pg_stat_activity where application_name = 'membrane ${first.pid}'`
  const { pid } = (await ask(url, victim)).rows[0]
  process.kill(pid, 'SIGKILL')
  await until('the claim to be back', async () => {
    const { rows } = await ask(url, victim).catch(() => ({ rows: [] }))
    return rows[0] && rows[0].pid !== pid
  })
  expect((await hold(dataDir).ended).code).toBe(1)
  expect(first.output()).not.toContain('lost')
  process.kill((await postmasterOf(dataDir)) ?? 0, 'SIGKILL')
  await first.waitForOutput(/^lost$/m)
})

it('the embedded server gives the folder to one of several concurrent first starts', async () => {
  const dataDir = await createDatabaseFolder()
  const holders = [hold(dataDir), hold(dataDir)]
  const outcomes = await Promise.all(holders.map((one) => one.waitForOutput(/^url|already runs on/m)))
  expect(outcomes.map(([message]) => message).sort()).toEqual(['already runs on', 'url'])
  expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log'])
})

it('the embedded server continues when its parent process was killed, and recovers committed data when it was killed too', async () => {
  const dataDir = await createDatabaseFolder()
  const first = hold(dataDir, 'durable')
  const url = await urlOf(first)
  await ask(url, 'create table kept as select generate_series(1, 1000) as n')
  const postmaster = (await postmasterOf(dataDir)) ?? 0
  first.kill('SIGKILL')
  await first.ended
  const second = hold(dataDir, 'durable')
  expect(await urlOf(second)).toBe(url)
  expect(await postmasterOf(dataDir)).toBe(postmaster)
  await ask(url, 'insert into kept values (1001)')
  second.kill('SIGKILL')
  process.kill(postmaster, 'SIGKILL')
  await until('the server to end', () => !isRunning(postmaster))
  const third = hold(dataDir)
  expect((await ask(await urlOf(third), 'select count(*)::int from kept')).rows).toEqual([{ count: 1001 }])
  third.kill('SIGTERM')
  expect(await third.ended).toEqual({ code: 0, signal: null })
  expect(await postmasterOf(dataDir)).toBeUndefined()
})

it('the embedded server keeps its data over a restart, and is not blocked by a process id that another program uses now', async () => {
  const dataDir = await createDatabaseFolder()
  const first = await startEmbeddedPostgres({ dataDir, durable: false })
  await ask(first.url, 'create table kept as select 1 as one')
  await first.stop()
  expect(await postmasterOf(dataDir)).toBeUndefined()
  const stranger = launch(['-e', 'setInterval(() => {}, 1000)'])
  const lines = [stranger.pid, join(dataDir, 'postgres'), 1, 5432, '', '127.0.0.1', '1 1', 'ready   ', '']
  await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), lines.join('\n'))
  const second = await startEmbeddedPostgres({ dataDir, durable: false })
  expect((await ask(second.url, 'select one from kept')).rows).toEqual([{ one: 1 }])
  await second.stop()
  expect(isRunning(stranger.pid)).toBe(true)
})

it('the embedded server starts over when its first setup was killed', async () => {
  const dataDir = await createDatabaseFolder()
  const killed = hold(dataDir)
  await until('the setting up to begin', async () => (await readdir(dataDir)).length > 0)
  killed.kill('SIGKILL')
  await killed.ended
  const second = hold(dataDir)
  expect((await ask(await urlOf(second), 'select 1 as one')).rows).toEqual([{ one: 1 }])
})

it('the embedded server leaves a folder with other contents alone', async () => {
  const dataDir = await createDatabaseFolder()
  await mkdir(join(dataDir, 'postgres'))
  await writeFile(join(dataDir, 'postgres', 'mine'), '')
  await expect(startEmbeddedPostgres({ dataDir, durable: false })).rejects.toThrow(
    'is not a database cluster',
  )
  expect(await readdir(dataDir)).toEqual(['postgres'])
})
