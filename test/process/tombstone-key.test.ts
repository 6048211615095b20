import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createIds } from '../../src/kernel/ids.ts'
import { openTombstoneKey } from '../../src/process/tombstone-key.ts'
import { createTestClock } from '../support/clock.ts'
import { until } from '../support/processes/processes.ts'
import { launchRole, openMigratedDatabase } from '../support/processes/roles.ts'
import { createDatabaseFolder } from '../support/servers/database-folder.ts'
import { findFreePort } from '../support/servers/postgres-processes.ts'

const ids = createIds(createTestClock())
const fact = {
  type: 'semantic',
  payload: { kind: 'semantic', subject: 's', predicate: 'p', object: 'told once' },
}

const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

it('the tombstone key is created once, readable by its owner only, by concurrent processes', async () => {
  const dataDir = join(await createDatabaseFolder(), 'not', 'there')
  const keys = await Promise.all(Array.from({ length: 10 }, () => openTombstoneKey(dataDir, ids)))
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toHaveLength(43)
  expect(await openTombstoneKey(dataDir, ids)).toBe(keys[0])
  expect(await readdir(dataDir)).toEqual(['tombstone.key'])
  expect((await stat(join(dataDir, 'tombstone.key'))).mode & 0o777).toBe(0o600)
})

it('the tombstone key is not replaced when its file is damaged, and its folder must be writable', async () => {
  const dataDir = await createDatabaseFolder()
  await writeFile(join(dataDir, 'tombstone.key'), 'short\n')
  await expect(openTombstoneKey(dataDir, ids)).rejects.toThrow(/contains no key/)
  await expect(openTombstoneKey(join(dataDir, 'tombstone.key'), ids)).rejects.toThrow(
    /Set MEMBRANE_TOMBSTONE_KEY/,
  )
})

it('a process without the key of an erasure is not ready from that moment, and says what to do', async () => {
  const database = await openMigratedDatabase()
  const key = { MEMBRANE_TOMBSTONE_KEY: 'the key of the erasures' }
  const start = async (role: string, port: string, variables: Record<string, string> = {}) => {
    const url = `http://127.0.0.1:${await findFreePort()}`
    const running = launchRole(role, { DATABASE_URL: database.url, [port]: new URL(url).port, ...variables })
    return { url, running, readiness: () => fetch(`${url}/readyz`).catch(() => undefined) }
  }
  const keyless = await start('api', 'PORT')
  const sealed = await start('api', 'PORT', key)
  for (const { readiness } of [sealed, keyless])
    await until('a process to be ready', async () => (await readiness())?.ok)
  const { id } = (await (await post(`${sealed.url}/v1/records`, fact)).json()) as { id: string }
  const reason = { actor: 'desk', rationale: 'asked' }
  expect((await post(`${sealed.url}/v1/records/${id}/erase`, reason)).status).toBe(200)
  const late = await start('worker', 'MEMBRANE_METRICS_PORT', {
    MEMBRANE_TOMBSTONE_KEY: 'another key than that',
  })
  await until('the last process to answer', late.readiness)
  for (const { readiness, running } of [keyless, late]) {
    const answer = await readiness()
    const tombstones = { ready: false, reason: expect.stringContaining('MEMBRANE_TOMBSTONE_KEY') }
    expect(answer?.status).toBe(503)
    expect(await answer?.json()).toMatchObject({ parts: { database: { ready: true }, tombstones } })
    expect(running.output()).toContain('no content can be stored')
  }
  const refused = await post(`${keyless.url}/v1/records`, fact)
  expect(await refused.json()).toMatchObject({
    status: 503,
    code: 'tombstone_key_mismatch',
    detail: expect.stringContaining('MEMBRANE_TOMBSTONE_KEY'),
  })
  expect((await sealed.readiness())?.status).toBe(200)
})
