import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { slackMs } from '../../../src/db/poll-horizon.ts'
import { fullTrust, permissions } from '../../../src/domain/trust/caller.ts'
import { insertRun } from '../../../src/maintenance/maintenance.queries.ts'
import { startRun } from '../../../src/maintenance/running/leases.queries.ts'
import { exportLines } from '../../support/requests/export-and-import.ts'
import { type Body, create, fact } from '../../support/requests/record-requests.ts'
import { countLockWaits } from '../../support/statements/lock-waits.ts'
import { rootKey, startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const caller = {
  principal: 'root',
  name: 'root',
  sourceType: 'human' as const,
  permissions: new Set(permissions),
  trust: fullTrust,
}

const now = () => app.clock.now().toISOString()

async function poll(after: string, query = ''): Promise<{ ids: string[]; next: string; cursor?: string }> {
  const { body } = await app.request('GET', `/v1/records?updated_after=${after}${query}`)
  const { items, next_updated_after: next, next_cursor: cursor } = body as Body
  return { ids: items.map(({ id }: Body) => id), next, cursor }
}

/** Opens a transaction that commits when it is released. */
async function hold(write: (call: Body) => Promise<unknown>, late = write) {
  const written = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const done = app.db.transaction().execute(async (tx) => {
    await write({ caller, tx })
    written.resolve()
    await released.promise
    if (late !== write) await late({ caller, tx })
  })
  done.catch(written.reject)
  await written.promise
  return async () => {
    released.resolve()
    await done
  }
}

/** Waits until the transaction is older, in real time, than the slack of a poll. */
async function outlastSlack() {
  app.clock.advance(slackMs + 100)
  await sleep(300)
}

describe('a client that polls with updated_after', () => {
  it('gets the value for its next poll, and a list without the parameter has none', async () => {
    const { next } = await poll(now())
    expect(next).toBe(now())
    expect((await app.request('GET', '/v1/records')).body).not.toHaveProperty('next_updated_after')
  })

  it('sees a change that commits after a poll with an earlier time', async () => {
    const record = await create(app, fact())
    const start = now()
    app.clock.advance(1)
    const release = await hold((call) => app.services.records.patch(call, record.id, { tags: ['late'] }))
    await outlastSlack()
    const early = await create(app, fact())
    const first = await poll(start)
    expect(first.ids).toEqual([early.id])
    await release()
    expect((await poll(first.next)).ids).toContain(record.id)
  })

  it('sees a record of a transaction that was open during a poll', async () => {
    const start = now()
    app.clock.advance(1)
    const id = app.ids.next()
    const release = await hold((call) => app.services.records.create(call, { ...fact(), id } as Body))
    await outlastSlack()
    const first = await poll(start)
    expect(first.ids).not.toContain(id)
    await release()
    expect((await poll(first.next)).ids).toContain(id)
  })

  it('sees the write of a transaction that had only read the clock before a poll', async () => {
    const record = await create(app, fact())
    const start = now()
    app.clock.advance(1)
    const readAt = app.clock.now()
    const release = await hold(
      ({ tx }) => sql`select 1`.execute(tx),
      ({ tx }) => sql`update records set updated_at = ${readAt} where id = ${record.id}`.execute(tx),
    )
    await outlastSlack()
    const first = await poll(start)
    expect(first.ids).not.toContain(record.id)
    await release()
    expect((await poll(first.next)).ids).toContain(record.id)
  })

  it('sees the writes of a run, which carry the start time of the run', async () => {
    const record = await create(app, fact())
    const start = now()
    app.clock.advance(1)
    const run = app.ids.next()
    const startedAt = app.clock.now()
    await insertRun(app.db, { id: run, job: 'dream', trigger: 'manual', now: startedAt })
    await app.db.transaction().execute((tx) => startRun(tx, { id: run, worker: 'worker', now: startedAt }))
    app.clock.advance(60 * slackMs)
    const first = await poll(start)
    await sql`update records set updated_at = ${startedAt} where id = ${record.id}`.execute(app.db)
    await sql`update maintenance_runs set status = 'succeeded', finished_at = ${app.clock.now()}
      where id = ${run}`.execute(app.db)
    const second = await poll(first.next)
    expect(second.ids).toContain(record.id)
    expect((await poll(second.next)).ids).toEqual([])
  })

  it('sees an import line that waited for later lines', async () => {
    const start = now()
    const ids = [app.ids.next(), app.ids.next()]
    const sending = new TransformStream<string, string>()
    const writer = sending.writable.getWriter()
    const answered = fetch(`${app.url}/v1/import`, {
      method: 'POST',
      duplex: 'half',
      body: sending.readable.pipeThrough(new TextEncoderStream()),
      headers: { authorization: `Bearer ${rootKey}`, 'content-type': 'application/x-ndjson' },
    } as RequestInit)
    await writer.write(`${JSON.stringify(fact({ id: ids[0] }))}\n`)
    await sleep(300)
    app.clock.advance(10 * slackMs)
    const first = await poll(start)
    await writer.write(`${JSON.stringify(fact({ id: ids[1] }))}\n`)
    await writer.close()
    expect(await (await answered).text()).toContain('"created":2')
    expect((await poll(first.next)).ids).toEqual(expect.arrayContaining(ids))
  })

  it('sees a create that waited for a lock during a poll', async () => {
    const start = now()
    app.clock.advance(1)
    const id = app.ids.next()
    const release = await hold(({ tx }) => sql`lock table contents in share mode`.execute(tx))
    const creating = create(app, { ...fact(), id })
    await expect.poll(() => countLockWaits(app.db)).toBe(1)
    await outlastSlack()
    const first = await poll(start)
    await release()
    await creating
    expect((await poll(first.next)).ids).toContain(id)
  })

  it('sees a write of a process with a slow clock, and one that waited for a connection', async () => {
    app.clock.advance(slackMs + 1)
    const first = await poll(now())
    app.clock.advance(60_000)
    const second = await poll(first.next)
    app.clock.advance(1 - slackMs)
    const { id } = await create(app, fact())
    app.clock.advance(slackMs)
    expect((await poll(second.next)).ids).toContain(id)
  })

  it('sees no record again once all writes are old enough', async () => {
    const { id } = await create(app, fact())
    app.clock.advance(10 * slackMs)
    const first = await poll(new Date(app.clock.now().getTime() - 11 * slackMs).toISOString())
    expect(first.ids).toContain(id)
    expect((await poll(first.next)).ids).toEqual([])
  })

  it('never gets a value before the time it asked for', async () => {
    const ahead = new Date(app.clock.now().getTime() + 86_400_000).toISOString()
    expect((await poll(ahead)).next).toBe(ahead)
  })

  it.each(['salience', 'updated_at'])('gets one value on all pages when sorted by %s', async (sort) => {
    const start = now()
    app.clock.advance(10 * slackMs)
    for (let count = 0; count < 3; count++) await create(app, fact())
    const first = await poll(start, `&limit=2&sort=${sort}`)
    app.clock.advance(10 * slackMs)
    const second = await poll(start, `&limit=2&sort=${sort}&cursor=${first.cursor}`)
    expect(second.next).toBe(first.next)
    expect([...first.ids, ...second.ids]).toHaveLength(3)
  })
})

describe('GET /v1/export', () => {
  it('answers the updated_after of the next export in a header, so that no late commit is missed', async () => {
    const start = now()
    app.clock.advance(1)
    const id = app.ids.next()
    const release = await hold((call) => app.services.records.create(call, { ...fact(), id } as Body))
    await outlastSlack()
    const { headers } = await app.request('GET', `/v1/export?updated_after=${start}`)
    await release()
    const { records } = await exportLines(app, `?updated_after=${headers.get('next-updated-after')}`)
    expect(records.map((each) => each.id)).toContain(id)
  })

  it('answers the header without the filter too, but not when it continues after an id', async () => {
    const whole = await app.request('GET', '/v1/export')
    expect(Date.parse(whole.headers.get('next-updated-after') ?? '')).toBeLessThan(app.clock.now().getTime())
    const rest = await app.request('GET', `/v1/export?after=${app.ids.next()}`)
    expect(rest.headers.has('next-updated-after')).toBe(false)
  })
})
