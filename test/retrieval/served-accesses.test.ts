import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/connection.ts'
import { createAccessService } from '../../src/lifecycle/index.ts'
import { type Body, create, read } from '../support/record-requests.ts'
import { buildStatement, listNodeIds, retrieve } from '../support/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const flushAccesses = () => app.services.access.flush()
const logOf = (id: string) =>
  app.db.selectFrom('access_log').where('record_id', '=', id).select(['kind', 'actor', 'at']).execute()

describe('the records in an answer of POST /v1/retrieve', () => {
  it('are counted as served after the answer, without a new version', async () => {
    const before = await create(app, buildStatement('grebe', { scope: 'served' }))
    app.clock.advance(1_000)
    const answer = await retrieve(app, { scopes: ['served'], trust: { actor_id: 'agent-7' } })
    expect(answer.nodes[0].record.access_count).toBe(0)
    await flushAccesses()
    expect(await read(app, before.id)).toEqual({
      ...before,
      ...{
        salience: expect.any(Number),
        importance: expect.any(Number),
        access_count: 1,
        last_accessed_at: app.clock.now().toISOString(),
      },
    })
    expect(await logOf(before.id)).toEqual([{ kind: 'served', actor: 'agent-7', at: app.clock.now() }])
  })

  it('are not counted with record_access: false or when the request is refused', async () => {
    const { id } = await create(app, buildStatement('coot', { scope: 'unrecorded' }))
    await retrieve(app, { scopes: ['unrecorded'], record_access: false })
    await app.request('POST', '/v1/retrieve', { body: { scopes: ['unrecorded'], root_limit: 0 } })
    await flushAccesses()
    expect(await logOf(id)).toEqual([])
  })

  it('are counted for each of many concurrent requests, with few statements', async () => {
    const ids: string[] = []
    for (let index = 0; index < 10; index++) {
      ids.push((await create(app, buildStatement(`rail ${index}`, { scope: 'crowded' }))).id)
    }
    await Promise.all(Array.from({ length: 40 }, () => retrieve(app, { scopes: ['crowded'] })))
    await flushAccesses()
    for (const id of ids) expect((await read(app, id)).access_count).toBe(40)
  })

  it('are counted while the records are written, without blocking the writers', async () => {
    const { id } = await create(app, buildStatement('snipe', { scope: 'written' }))
    const body = { actor: 'agent', rationale: 'it helped' }
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        index % 2
          ? retrieve(app, { scopes: ['written'] })
          : app.request('POST', `/v1/records/${id}/reinforce`, { body }),
      ),
    )
    await flushAccesses()
    expect(await read(app, id)).toMatchObject({ access_count: 30, version: 16 })
  })

  it('are returned when counting fails, and the log says how many were lost', async () => {
    const { id } = await create(app, buildStatement('shrike', { scope: 'lost' }))
    await app.db.schema.alterTable('access_log').renameTo('access_log_away').execute()
    try {
      expect(listNodeIds(await retrieve(app, { scopes: ['lost'] }))).toEqual([id])
      await flushAccesses()
    } finally {
      await app.db.schema.alterTable('access_log_away').renameTo('access_log').execute()
    }
    expect(app.log.some((line) => line.includes('1 accesses were not recorded'))).toBe(true)
    await retrieve(app, { scopes: ['lost'] })
    await flushAccesses()
    expect((await read(app, id)).access_count).toBe(1)
  })
})

describe('the backlog of served accesses', () => {
  it('is limited while the database is unavailable, and reports what it dropped', async () => {
    const reports: string[] = []
    const unreachable = new Proxy({} as Database, {
      get: () => () => {
        throw new Error('away')
      },
    })
    const access = createAccessService({ db: unreachable, clock: app.clock, capacity: 5 })
    const ids = Array.from({ length: 8 }, () => app.ids.next())
    access.noteServed(ids, 'agent', (message) => reports.push(message))
    await access.flush()
    expect(reports).toEqual([
      '5 accesses were not recorded',
      '3 accesses were not recorded: too many were waiting',
    ])
  })

  it('is written before a stopping process closes its database connections', async () => {
    const other = await startTestApp()
    const { id } = await create(other, buildStatement('lapwing', { scope: 'stopping' }))
    let count = 0
    await retrieve(other, { scopes: ['stopping'] })
    await other.app.close()
    await other.services.access.flush()
    const { rows } = await other.database.pool.query<Body>('select access_count from records where id = $1', [
      id,
    ])
    count = rows[0]?.access_count
    await other.close()
    expect(count).toBe(1)
  })
})
