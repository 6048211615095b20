import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults } from '../../support/files/foreign-files.ts'
import { importLines } from '../../support/requests/export-and-import.ts'
import { countRows, payloads, say } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

describe('a dry run', () => {
  it('finds items of a foreign file that have one id', async () => {
    const memory = (text: string) => ({ id: 'd1', memory: text, user_id: 'ada' })
    const file = JSON.stringify([memory('text A'), memory('text A'), memory('text B'), memory('text A')])
    const dry = await importFile(app, file, { query: '?format=mem0&dry_run=true' })
    expect(listLineResults(dry)).toEqual([
      '1 created',
      '2 unchanged',
      '3 conflict record_exists',
      '4 unchanged',
    ])
    expect(dry.ending.summary).toEqual({ created: 1, unchanged: 2, conflict: 1, invalid: 0 })
    expect(dry.ending.sample).toHaveLength(1)
    expect(listLineResults(await importFile(app, file, { query: '?format=mem0' }))).toEqual(
      listLineResults(dry),
    )
  })

  it('compares lines of one id as the import does, also when they name fewer fields or lie apart', async () => {
    const id = app.ids.next()
    const others = Array.from({ length: 250 }, (_, at) => say(`other ${at}`, { id: app.ids.next() }))
    const first = say('one', { id, tags: ['kept'], created_at: '2025-01-01T00:00:00Z' })
    const lines = [
      first,
      say('one', { id }),
      say('two', { id }),
      ...others,
      first,
      say('one', { id, tags: ['other'] }),
      { ...first, payload: { ...payloads.semantic, object: 'one', subject: 7 } },
    ]
    const before = await countRows(app, 'records')
    const dry = await importLines(app, lines, { query: '?dry_run=true' })
    expect(listLineResults(dry).filter((each) => !each.endsWith(' created'))).toEqual([
      '2 unchanged',
      '3 conflict record_exists',
      '254 unchanged',
      '255 conflict record_exists',
      '256 invalid validation_failed',
    ])
    expect(await countRows(app, 'records')).toBe(before)
    const real = await importLines(app, lines)
    expect(listLineResults(real)).toEqual(listLineResults(dry))
    expect(real.reports[2].problem.errors).toEqual(dry.reports[2].problem.errors)
  })

  it('still compares with the store, and a second dry run does not remember the first', async () => {
    const id = app.ids.next()
    const lines = [say('stored', { id }), say('stored', { id })]
    for (let run = 0; run < 2; run++) {
      const dry = await importLines(app, lines, { query: '?dry_run=true' })
      expect(listLineResults(dry)).toEqual(['1 created', '2 unchanged'])
    }
    await importLines(app, [say('first', { id })])
    const dry = await importLines(app, lines, { query: '?dry_run=true' })
    expect(listLineResults(dry)).toEqual(['1 conflict record_exists', '2 conflict record_exists'])
  })
})
