import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { migrateUp } from '../../../src/db/migrator.ts'
import { createTextUpdate } from '../../../src/records/index.ts'
import { migrateDown } from '../../support/servers/migrate-down.ts'
import { insertEpisodes } from '../../support/stores/insert-episodes.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

const population = 20_000
const portion = 1_000
const secret = 'hunter22xq'

/** Fills the store with the search texts of the version before, in which every fourth has a secret. */
async function fillAsBefore(app: TestApp): Promise<void> {
  for (let from = 0; from < population; from += portion) {
    const summaries = Array.from({ length: portion }, (_, n) => `deploy ${from + n} of the zebrafish`)
    await insertEpisodes(app, 'aquarium', summaries)
  }
  await sql`
    update contents as c
    set search = to_tsvector('english', (c.payload #>> '{timeline,0,summary}')
      || case when numbered.n % 4 = 0 then ${` ${secret}`} else '' end) || array_to_tsvector(array['scope aquarium', 'type episodic'])
    from (select record_id, row_number() over (order by record_id) as n from contents) as numbered
    where numbered.record_id = c.record_id
  `.execute(app.db)
}

async function count(app: TestApp, from: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int4 as count from ${from}`.execute(app.db)
  return rows[0]?.count ?? -1
}

it(`the search texts of ${population} records are computed again while clients write and after a worker is stopped`, async () => {
  const app = await startTestApp()
  onTestFinished(() => app.close())
  await fillAsBefore(app)
  await migrateDown(app.db, '0022_descent')
  await migrateUp(app.db)
  expect(await count(app, sql`outdated_texts`)).toBe(population)
  await sql`delete from unembedded`.execute(app.db)
  const log = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
  const update = () => createTextUpdate({ db: app.db, clock: app.clock, log, textLanguage: 'english' })

  const { rows } = await sql<{ id: string }>`
    select id from records order by id offset ${population - 40}
  `.execute(app.db)
  const patched = rows.slice(0, 20).map(({ id }) => id)
  const deleted = rows.slice(20).map(({ id }) => id)
  const why = 'actor=ada&rationale=outdated'
  const stopped = new AbortController()
  const first = update().updateOutdatedTexts(stopped.signal)
  const statuses = await Promise.all([
    ...patched.map((id) => app.request('PATCH', `/v1/records/${id}`, { body: { tags: ['patched'] } })),
    ...deleted.map((id) => app.request('DELETE', `/v1/records/${id}?${why}`)),
  ]).then((answers) => answers.map(({ status }) => status))
  expect(new Set(statuses)).toEqual(new Set([200]))
  stopped.abort()
  const before = await first
  const left = await count(app, sql`outdated_texts`)
  expect([before < population, left > 0]).toEqual([true, true])

  await Promise.all([update().updateOutdatedTexts(), update().updateOutdatedTexts()])
  // A worker skips records that the other has locked.
  await update().updateOutdatedTexts()
  expect(await count(app, sql`outdated_texts`)).toBe(0)
  const holds = (word: string) => count(app, sql`contents where search @@ to_tsquery('english', ${word})`)
  expect(await holds(secret)).toBe(0)
  expect(await holds('zebrafish')).toBe(population)
  expect(await count(app, sql`contents where search @@ '''text 1'''::tsquery`)).toBe(population)
  expect(await holds('patched')).toBe(patched.length)
  // A text that lost a secret gets a new vector; the others keep theirs, unless a client changed them.
  const queued = await count(app, sql`unembedded`)
  expect(queued).toBeGreaterThanOrEqual(population / 4 - deleted.length)
}, 900_000)
