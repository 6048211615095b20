import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { migrateUp } from '../../../src/db/migrator.ts'
import { listBacklog } from '../../../src/metrics/store.queries.ts'
import { createTextUpdate } from '../../../src/records/index.ts'
import { capture, range } from '../../support/requests/capture-requests.ts'
import { type Body, create, fact, read } from '../../support/requests/record-requests.ts'
import { migrateDown } from '../../support/servers/migrate-down.ts'
import { startTestApp } from '../../support/test-app.ts'
import { createEmbeddingWorker } from '../../support/workers/embedding-workers.ts'

const app = await startTestApp()
beforeEach(async () => {
  await sql`delete from outdated_texts`.execute(app.db)
})
afterAll(() => app.close())

const secret = 'hunter22xq'
const logs: { message: string; about: unknown }[] = []
const keep = (message: string, about?: unknown) => void logs.push({ message, about })
const log = { trace: keep, debug: keep, info: keep, warn: keep, error: keep, fatal: keep }
const update = (more: object = {}) =>
  createTextUpdate({ db: app.db, clock: app.clock, log, textLanguage: 'english', ...more })

/** Writes the search text like a process of the last release: with the raw content and without the word `text 1`. */
async function writeAsBefore(id: string, words: string): Promise<void> {
  await sql`
    update contents as c
    set search = to_tsvector('english', ${words}) || array_to_tsvector(array['scope ' || r.scope, 'type ' || r.type])
    from records as r where r.id = c.record_id and r.id = ${id}::uuid
  `.execute(app.db)
}

async function readQueue(): Promise<string[]> {
  const { rows } = await sql<{ record_id: string }>`select record_id from outdated_texts order by 1`.execute(
    app.db,
  )
  return rows.map(({ record_id: id }) => id)
}

async function find(word: string): Promise<string[]> {
  const { body } = await app.request('GET', `/v1/records?q=${word}`)
  return (body as Body).items.map(({ id }: Body) => id)
}

async function captureAsBefore(scope: string): Promise<string> {
  const content = { tool_name: 'psql', args: { password: secret, query: 'zebrafish' }, result: scope }
  const { primary_record: episode } = await capture(app, content, { scope, source_kind: 'tool_output' })
  await writeAsBefore(episode.id, `psql ${secret} zebrafish ${scope}`)
  return episode.id
}

describe('the search text of an earlier version', () => {
  it('finds a secret until it is computed again, and then gets a new vector', async () => {
    const embedder = createEmbeddingWorker(app)
    const id = await captureAsBefore('quagga')
    await embedder.run()
    expect([await find(secret), await find('zebrafish')]).toEqual([[id], [id]])
    const before = await read(app, id)
    expect(await update().updateOutdatedTexts()).toBe(1)
    expect([await find(secret), await find('zebrafish'), await find('quagga')]).toEqual([[], [], [id]])
    const { rows } = await sql`select record_id from unembedded`.execute(app.db)
    expect(rows).toEqual([{ record_id: id }])
    expect(await read(app, id)).toEqual(before)
    expect([await readQueue(), await update().updateOutdatedTexts()]).toEqual([[], 0])
  })

  it('is queued by the migration for every record, whichever release writes it', async () => {
    const { id } = await create(app, fact())
    expect(await readQueue()).toEqual([])
    await app.request('PATCH', `/v1/records/${id}`, { body: { tags: ['x'] } })
    expect(await readQueue()).toEqual([])
    await writeAsBefore(id, 'x')
    expect(await readQueue()).toEqual([id])
    await migrateDown(app.db, '0022_descent')
    await migrateUp(app.db)
    const { rows } = await sql<{ id: string }>`select id from records order by id`.execute(app.db)
    expect(await readQueue()).toEqual(rows.map((row) => row.id))
    expect(await update().updateOutdatedTexts()).toBe(rows.length)
    expect(await readQueue()).toEqual([])
  })

  it('is not written again when it is equal, and needs no new vector', async () => {
    const { id } = await create(app, fact({ tags: ['same'] }))
    await sql`delete from unembedded`.execute(app.db)
    await sql`update contents set search = ts_delete(search, 'text 1') where record_id = ${id}::uuid`.execute(
      app.db,
    )
    const versions = () => sql`select xmin from contents where record_id = ${id}::uuid`.execute(app.db)
    const before = await versions()
    expect([await readQueue(), await update().updateOutdatedTexts(), await readQueue()]).toEqual([
      [id],
      1,
      [],
    ])
    expect((await versions()).rows).toEqual(before.rows)
    expect((await sql`select from unembedded`.execute(app.db)).rows).toEqual([])
  })

  it('counts as backlog until the queue is empty', async () => {
    const waiting = async () => {
      const now = app.clock.now()
      return (await listBacklog(app.db, now, now)).find(({ work }) => work === 'update_text')?.waiting
    }
    await captureAsBefore('backlog')
    expect(await waiting()).toBe(1)
    await update().updateOutdatedTexts()
    expect(await waiting()).toBe(0)
  })

  it('is computed once by concurrent workers, which skip locked and deleted records', async () => {
    const ids = await Promise.all(range(20).map((n) => captureAsBefore(`raced${n}`)))
    const held = ids[7] ?? ''
    const gone = ids[13] ?? ''
    await sql`delete from records where id = ${gone}::uuid`.execute(app.db)
    await app.db.transaction().execute(async (tx) => {
      await sql`select from records where id = ${held}::uuid for no key update`.execute(tx)
      const counts = await Promise.all(range(4).map(() => update({ size: 3 }).updateOutdatedTexts()))
      expect(counts.reduce((sum, count) => sum + count)).toBe(18)
      expect(await readQueue()).toEqual([held])
    })
    expect([await update().updateOutdatedTexts(), await readQueue(), await find(secret)]).toEqual([1, [], []])
  })

  it('is computed for the rest when one record fails, and continues after an interruption', async () => {
    const ids = await Promise.all(range(9).map((n) => captureAsBefore(`broken${n}`)))
    const broken = [...ids].sort()[4] ?? ''
    await sql`update contents set payload = '{"kind": "episodic"}' where record_id = ${broken}::uuid`.execute(
      app.db,
    )
    const stopped = new AbortController()
    stopped.abort()
    expect(await update().updateOutdatedTexts(stopped.signal)).toBe(0)
    logs.length = 0
    expect(await update().updateOutdatedTexts()).toBe(8)
    expect([await readQueue(), logs.map(({ about }) => about)]).toMatchObject([
      [broken],
      [{ record_id: broken }],
    ])
    await sql`delete from records where id = ${broken}::uuid`.execute(app.db)
    expect([await update().updateOutdatedTexts(), await readQueue()]).toEqual([0, []])
  })

  it('is computed soon after a worker starts, and the log names the records with secrets', async () => {
    await captureAsBefore('watched')
    const { id } = await create(app, fact({ payload: { ...fact().payload, object: { password: secret } } }))
    await writeAsBefore(id, secret)
    logs.length = 0
    const watching = update({ everyMs: 10 }).watch()
    await expect.poll(readQueue).toEqual([])
    await watching.stop()
    expect(logs).toMatchObject([{ about: { record_ids: [id] } }, { about: { records: 2 } }])
    expect((await read(app, id)).payload.object).toEqual({ password: secret })
    expect(await find(secret)).toEqual([])
  })
})
