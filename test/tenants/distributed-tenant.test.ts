import { describe, expect, inject, it } from 'vitest'
import { connect } from '../../src/db/connection.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { startApi } from '../support/apps/started-service.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { citusUrl, moveSchema } from '../support/servers/citus.ts'
import { administer } from '../support/servers/postgres-processes.ts'
import { startTestApp } from '../support/test-app.ts'

const tables = [
  'records',
  'contents',
  'audit_entries',
  'handles',
  'scope_sizes',
  'unconsolidated',
  'unembedded',
]

describe.skipIf(citusUrl === undefined)('a tenant on Citus, for which TEST_CITUS_URL is needed', () => {
  it('has the same rows on the node that it was moved to, and its triggers count there', async () => {
    const app = await startTestApp()
    for (const object of ['Go', 'Rust', 'Zig'])
      await app.request('POST', '/v1/capture', {
        body: {
          source: 'agent-1',
          source_kind: 'observation',
          content: { subject: 'Ada', predicate: 'uses', object },
        },
      })
    const before = await readRows(app.database.url)
    const moved = await moveSchema(citusUrl ?? '', app.database.url)
    expect(new URL(moved).port).not.toBe(new URL(app.database.url).port)
    expect(await readRows(moved)).toEqual(before)
    expect(await countRecords(moved)).toBeGreaterThan(3)
    await administer(moved, `delete from records where type = 'episodic'`)
    const [left] = await administer(moved, 'select count(*)::int as records from records')
    expect(await countRecords(moved)).toBe(left?.rows[0]?.records)
    await app.close()
  })

  it('is written on after each move, and its histories stay in order', async () => {
    const app = await startTestApp()
    const { body } = await app.request('POST', '/v1/records', { body: fact(0) })
    const path = `/v1/records/${(body as { id: string }).id}`
    let url = app.database.url
    for (const turn of [1, 2]) {
      url = await moveSchema(citusUrl ?? '', url)
      const { call, running } = await startApi({ DATABASE_URL: url, REDIS_URL: inject('redisUrl') ?? '' })
      const tags = [`turn ${turn}`]
      const patched = await call(path, { body: { tags }, method: 'PATCH' })
      expect(patched.status, JSON.stringify(patched.body)).toBe(200)
      expect((await call('/v1/records', { body: fact(turn) })).status).toBe(201)
      const { body: record } = await call(path)
      const times = record.audit_log.map(({ timestamp }: { timestamp: string }) => timestamp)
      expect(record.audit_log).toHaveLength(turn + 1)
      expect(times).toEqual([...times].sort())
      const { db, close } = connect({
        url,
        poolSize: 2,
        statementTimeoutMs: 60_000,
        lockTimeoutMs: 10_000,
        applicationName: 'membrane test',
      })
      expect(await listBrokenLaws({ db, clock: systemClock })).toEqual([])
      await close()
      running.kill('SIGTERM')
      await running.ended
    }
    await app.close()
  })
})

const fact = (n: number) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject: 'Ada', predicate: `uses ${n}`, object: 'Go' },
})

async function readRows(url: string): Promise<unknown[]> {
  const results = await administer(
    url,
    ...tables.map((table) => `select to_jsonb(t)::text as row from ${table} as t order by 1`),
  )
  return results.map(({ rows }) => rows)
}

/** As the triggers counted them. */
async function countRecords(url: string): Promise<number> {
  const [counted] = await administer(url, 'select sum(records)::int as records from scope_sizes')
  return counted?.rows[0]?.records
}
