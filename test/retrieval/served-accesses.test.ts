import { afterAll, describe, expect, it } from 'vitest'
import type { Database } from '../../src/db/connection.ts'
import { createAccessService } from '../../src/lifecycle/index.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import { buildStatement, listNodeIds, retrieve } from '../support/requests/retrieval-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const day = 86_400_000
/** Sees what `root` sees. */
const reader = { max_sensitivity: 'hyper' }
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
      salience: expect.any(Number),
      importance: expect.any(Number),
      access_count: 1,
      last_accessed_at: app.clock.now().toISOString(),
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

  it('are counted once for each key and day of many concurrent requests', async () => {
    const ids: string[] = []
    for (let index = 0; index < 4; index++) {
      ids.push((await create(app, buildStatement(`rail ${index}`, { scope: 'crowded' }))).id)
    }
    const keys = await Promise.all([1, 2, 3].map(() => app.issueKey(['records:read'], reader)))
    await Promise.all(
      Array.from({ length: 15 }, (_, index) => retrieve(app, { scopes: ['crowded'] }, keys[index % 3])),
    )
    await flushAccesses()
    for (const id of ids) expect((await read(app, id)).access_count).toBe(3)
    for (const id of ids) expect(await logOf(id)).toHaveLength(3)
  })

  it('are not worth more when one key reads them in a loop, under whatever name', async () => {
    const { id } = await create(app, buildStatement('curlew', { scope: 'looped', layer: 'working' }))
    const key = await app.issueKey(['records:read'], reader)
    const show = async (name: string) => {
      await retrieve(app, { scopes: ['looped'], trust: { actor_id: name } }, key)
      await flushAccesses()
    }
    await show('agent')
    const shown = await read(app, id)
    const { factors } = ((await app.request('GET', `/v1/records/${id}/explain`)).body as Body).importance
    for (let time = 0; time < 12; time++) await show(`agent ${time}`)
    expect(await read(app, id)).toEqual(shown)
    expect(shown).toMatchObject({ access_count: 1, layer: 'working' })
    expect(((await app.request('GET', `/v1/records/${id}/explain`)).body as Body).importance.factors).toEqual(
      factors,
    )
    // A use is an act of its own and always counts.
    await app.request('POST', `/v1/records/${id}/access`)
    expect((await read(app, id)).access_count).toBe(2)
  })

  it('are counted again on the next day in UTC', async () => {
    const { id } = await create(app, buildStatement('avocet', { scope: 'daily' }))
    const untilMidnight = day - (app.clock.now().getTime() % day)
    const counts: number[] = []
    for (const pause of [0, untilMidnight - 1, 1, day - 1, 1]) {
      app.clock.advance(pause)
      await retrieve(app, { scopes: ['daily'] })
      await flushAccesses()
      counts.push((await read(app, id)).access_count)
    }
    expect(counts).toEqual([1, 1, 2, 2, 3])
  })

  it('are counted once when several processes write them at the same moment', async () => {
    const { id } = await create(app, buildStatement('ruff', { scope: 'processes' }))
    const processes = Array.from({ length: 6 }, () => createAccessService({ db: app.db, clock: app.clock }))
    const faults: unknown[] = []
    for (const each of processes)
      for (const name of ['a', 'b', 'a'])
        each.noteServed([id, id], { key_id: name, actor: 'agent' }, (_, error) => faults.push(error))
    await Promise.all(processes.map((each) => each.flush()))
    expect(faults).toEqual([])
    expect(await read(app, id)).toMatchObject({ access_count: 2 })
    expect(await logOf(id)).toHaveLength(2)
    const counts = app.db.selectFrom('records').where('id', '=', id).select(['access_count', 'served_count'])
    expect(await counts.execute()).toEqual([{ access_count: 2, served_count: 2 }])
  })

  it('are counted while the records are written, without blocking the writers', async () => {
    const { id } = await create(app, buildStatement('snipe', { scope: 'written' }))
    const body = { actor: 'agent', rationale: 'it helped' }
    const keys = await Promise.all(Array.from({ length: 6 }, () => app.issueKey(['records:read'], reader)))
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        index % 2
          ? retrieve(app, { scopes: ['written'] }, keys[(index - 1) / 2])
          : app.request('POST', `/v1/records/${id}/reinforce`, { body }),
      ),
    )
    await flushAccesses()
    expect(await read(app, id)).toMatchObject({ access_count: 12, version: 7 })
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
    access.noteServed(ids, { key_id: 'root', actor: 'agent' }, (message) => reports.push(message))
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
