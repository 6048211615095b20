import { expect, it } from 'vitest'
import { launchRole } from '../support/processes/roles.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { createDatabaseFolder } from '../support/servers/database-folder.ts'
import { administer } from '../support/servers/postgres-processes.ts'

const recorded = `
  insert into departures
    (id, created_at, departed_at, scope, run_id, type, sensitivity, kind, reason, actor, numbers)
  values (gen_random_uuid(), now(), now(), '', null, 'semantic', 'low', 'purged', 'deleted', 'ada', '{}')`

it('the role check reports each law and ends with 0, or with 1 when one is broken', async () => {
  const database = await openTestDatabase()
  const checked = launchRole('check', { DATABASE_URL: database.url })
  expect(await checked.ended, checked.output()).toEqual({ code: 0, signal: null })
  expect(checked.output()).toMatch(/^ok {6}audit: 0 checked$/m)
  expect(checked.output()).toMatch(/\nEvery law holds\.\n$/)
  expect(checked.output()).not.toContain('BROKEN')

  await administer(database.url, recorded)
  const broken = launchRole('check', { DATABASE_URL: database.url })
  expect(await broken.ended).toEqual({ code: 1, signal: null })
  expect(broken.output()).toMatch(
    /^BROKEN {2}departures: 1 of 1: a purged or erased record is in no other table: \S+$/m,
  )
  expect(broken.output()).toContain('1 of the laws are broken')
  await database.close()
})

it('the role check refuses a folder without a database', async () => {
  const checked = launchRole('check', { MEMBRANE_DATA_DIR: await createDatabaseFolder() })
  expect(await checked.ended).toEqual({ code: 2, signal: null })
  expect(checked.output()).toContain('There is no embedded database in')
})
