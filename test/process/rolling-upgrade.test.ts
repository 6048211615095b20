import { expect, it } from 'vitest'
import { until } from '../support/processes/processes.ts'
import { launchRole, openMigratedDatabase, parseLogLines } from '../support/processes/roles.ts'
import { administer, findFreePort } from '../support/servers/postgres-processes.ts'

type Body = Record<string, unknown>

/** A change that a later migration may make while this version still runs. */
const later = [
  `alter table records add column mood text, add column shelf int4 not null default 7`,
  `alter table contents add column notes jsonb not null default '{}'`,
  `alter table audit_entries add column place text`,
  `alter table maintenance_runs add column colour text not null default 'grey'`,
  `create index records_mood on records (mood)`,
  `create table shelves (id int4 primary key)`,
  `insert into kysely_migration (name, timestamp) values ('9999_later', 'later')`,
]

async function call(url: string, path: string, body?: Body): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    method: body ? 'POST' : 'GET',
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  expect(response.status, text).toBeLessThan(300)
  return JSON.parse(text)
}

function statusOf(url: string): Promise<number> {
  return fetch(`${url}/readyz`).then(
    ({ status }) => status,
    () => 0,
  )
}

it('a running version continues, and can restart, after a later version migrated the schema', async () => {
  const database = await openMigratedDatabase()
  const variables = { DATABASE_URL: database.url }
  await administer(database.url, ...later)

  const again = launchRole('migrate', variables)
  expect(await again.ended, again.output()).toEqual({ code: 0, signal: null })
  expect(parseLogLines(again)).toMatchObject([{ applied: [] }])
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  launchRole('api', { ...variables, PORT: String(port) })
  launchRole('worker', variables)
  await until('the API to be ready', async () => (await statusOf(url)) === 200)

  const payload = { kind: 'semantic', subject: 'user', predicate: 'prefers', object: 'Go' }
  const { id } = await call(url, '/v1/records', { type: 'semantic', payload })
  const reason = { actor: 'a', rationale: 'r' }
  await call(url, `/v1/records/${id}/reinforce`, reason)
  await call(url, `/v1/records/${id}/fork`, {
    ...reason,
    record: {
      type: 'semantic',
      payload: { ...payload, object: 'Zig' },
      provenance: { sources: [{ kind: 'event', ref: 'e' }] },
    },
  })
  await call(url, '/v1/capture', { source: 's', content: { text: 'Ada deployed Orion' } })
  expect(await call(url, '/v1/retrieve', { task_descriptor: 'which language' })).toMatchObject({
    root_ids: expect.arrayContaining([id]),
  })
  for (const job of ['decay', 'consolidate', 'dream', 'refresh_importance', 'embed', 'purge']) {
    const run = await call(url, '/v1/maintenance/runs', { job })
    const ended = await until(`${job} to end`, async () => {
      const seen = await call(url, `/v1/maintenance/runs/${run['id']}`)
      return ['queued', 'running'].includes(String(seen['status'])) ? undefined : seen
    })
    expect(ended, job).toMatchObject({ status: 'succeeded' })
  }
})
