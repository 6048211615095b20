import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { speakerName } from '../../src/retrieval/candidates/record-columns.queries.ts'
import { openTestDatabase } from '../support/servers/database.ts'
import { labels } from '../support/texts/speaker-labels.ts'

const database = await openTestDatabase()
afterAll(() => database.close())

async function readName(text: string, conversation: object = {}): Promise<unknown> {
  const payload = JSON.stringify({ conversation, timeline: [{ summary: text }] })
  const { rows } = await sql<{ name: unknown }>`
    select ${speakerName} as name from (select ${payload}::jsonb as payload) as c
  `.execute(database.db)
  return rows[0]?.name
}

it('PostgreSQL reads the same names at the beginning of a message', async () => {
  for (const [text, name] of labels) expect([text, await readName(text)]).toEqual([text, name])
})

it('the name of a message counts more than the one in its text', async () => {
  expect(await readName('Ada: Hello', { name: 'Bo' })).toBe('Bo')
})
