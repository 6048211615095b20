import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { nameHandle } from '../../src/domain/identity/handles.ts'
import { lookUpHandles } from '../../src/records/index.ts'
import { postCapture } from '../support/requests/capture-requests.ts'
import { migrateDown } from '../support/servers/migrate-down.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
beforeAll(async () => {
  for (const user of ['Ines', 'Ada']) await postCapture(app, { user, service: 'billing' }, { scope: 'team' })
})
afterAll(() => app.close())

function findNames() {
  const lookups = ['Ines', 'billing', 'nobody', 'Ada'].map((name) => ({
    ...nameHandle(name),
    scope: 'team',
    lock: 'if_unused' as const,
  }))
  return app.db.transaction().execute((tx) => lookUpHandles(tx, lookups, 'low'))
}

it('the migration of the plans of handles finds the same records, and can be reverted', async () => {
  const found = await findNames()
  expect(found.matches.map(({ known }) => known.length)).toEqual([1, 1, 0, 1])
  expect(await migrateDown(app.db, '0062_message_times')).toContain('0064_handle_plans')
  expect(await findNames()).toEqual(found)
  await migrateUp(app.db)
  expect(await findNames()).toEqual(found)
})

it('the entities of all names stay locked', async () => {
  const isLocked = await app.db.transaction().execute(async (tx) => {
    const { matches } = await lookUpHandles(
      tx,
      ['Ines', 'billing'].map((name) => ({ ...nameHandle(name), scope: 'team', lock: 'if_unused' as const })),
      'low',
    )
    const ids = matches.flatMap(({ known }) => known.map(({ id }) => id))
    const { rows } =
      await sql`select from records where id = any(${ids}::uuid[]) for update skip locked`.execute(app.db)
    return { named: ids.length, free: rows.length }
  })
  expect(isLocked).toEqual({ named: 2, free: 0 })
})
