import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { createTopicHandle } from '../../src/domain/identity/handles.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { create, fact } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

it('accepts a note that version 0.1 stored under its subject and predicate', async () => {
  const note = { subject: 'billing', predicate: 'Note', object: 'Runs on Fridays.' }
  const { id } = await create(app, fact({ payload: { kind: 'semantic', ...note } }))
  const move = (digest: Buffer) =>
    sql`update handles set digest = ${digest} where record_id = ${id}`.execute(app.db)
  await move(createTopicHandle(note).digest)
  expect(await listBrokenLaws(app)).toEqual([])
  await move(Buffer.alloc(16))
  expect(await listBrokenLaws(app)).not.toEqual([])
})
