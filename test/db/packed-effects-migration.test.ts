import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { unpack } from '../../src/effects/effect.ts'
import { migrateDown, openDatabaseAt } from '../support/servers/migrate-down.ts'

const database = await openDatabaseAt('0072_packed_effects')
afterAll(() => database.close())

const runId = '00000000-0000-7000-8000-00000000000a'
const id = '00000000-0000-7000-8000-000000000001'
const saved = {
  owner: id,
  relation: 'records',
  before: null,
  after: { id, version: 1 },
  others: [
    { relation: 'contents', after: { record_id: id, tags: ['a tag'] } },
    { relation: 'unconsolidated', before: { record_id: id, stage: 'episodic' } },
  ],
}

it('gives each row that was kept with another one of its own when it is reverted', async () => {
  await sql`
    insert into run_effects (run_id, record_id, relation, after, others)
    values (${runId}, ${id}, 'records', ${JSON.stringify(saved.after)}::jsonb, ${JSON.stringify(saved.others)}::jsonb)
  `.execute(database.db)
  await migrateDown(database.db, '0071_message_places')
  const { rows } = await sql`
    select batch, record_id as owner, relation, before, after from run_effects where run_id = ${runId} order by id
  `.execute(database.db)
  const [{ batch }] = rows as [{ batch: string }]
  expect(rows).toEqual(unpack(saved).map((effect) => ({ batch, ...effect })))
})
