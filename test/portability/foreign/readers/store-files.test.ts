import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults, readFixture } from '../../../support/files/foreign-files.ts'
import { type Body, read } from '../../../support/requests/record-requests.ts'
import { retrieve } from '../../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

async function search(words: string): Promise<string[]> {
  const { nodes } = await retrieve(app, { task_descriptor: words })
  return nodes.map(({ record }: Body) => record.payload.object)
}

describe('an import of LangGraph', () => {
  it('reads rows as an array and as lines, and knows them again in either form', async () => {
    const file = (await readFixture('langgraph-rows.json')).toString()
    const { reports, ending } = await importFile(app, file)
    expect(ending).toMatchObject({ format: 'langgraph', summary: { created: 2, invalid: 0 } })
    const [bike, locker] = await Promise.all(reports.map(({ id }) => read(app, id)))
    expect(bike).toMatchObject({
      created_at: '2025-04-01T00:00:00.000Z',
      payload: { object: 'Rides a cargo bike.' },
    })
    expect(locker.payload).toMatchObject({
      subject: 'memories.nora',
      validity: { mode: 'timeboxed', end: '2025-05-01T00:00:00.000Z' },
    })
    const lines = (JSON.parse(file) as object[]).map((row) => `${JSON.stringify(row)}\n`).join('')
    const again = await importFile(app, lines, { type: 'application/x-ndjson' })
    expect(listLineResults(again)).toEqual(['1 unchanged', '2 unchanged'])
  })
})

describe('an import of OpenMemory', () => {
  it('continues salience and decay, and bounds facts by their validity', async () => {
    const { reports, ending } = await importFile(app, await readFixture('openmemory.json'))
    expect(ending).toMatchObject({ format: 'openmemory', summary: { created: 2, invalid: 0 } })
    const [plants, home] = await Promise.all(reports.map(({ id }) => read(app, id)))
    expect(plants.lifecycle).toMatchObject({
      last_reinforced_at: '2025-07-01T00:00:00.000Z',
      decay: { curve: 'exponential', half_life_seconds: Math.round((Math.LN2 / 0.01) * 86_400) },
    })
    expect(plants.tags).toEqual(['home', 'procedural'])
    expect(home).toMatchObject({
      confidence: 0.9,
      payload: {
        subject: 'Nora',
        predicate: 'lives in',
        object: 'Bergen',
        validity: { start: '2020-01-01T00:00:00.000Z', end: '2021-01-01T00:00:00.000Z' },
      },
    })
    expect(await search('Bergen')).not.toContain('Bergen')
    expect((await search('plants'))[0]).toBe('Waters the plants on Sundays.')
  })

  it('keeps the salience of what never fades, and fades from the import on without a rate', async () => {
    const lastSeen = app.clock.now().getTime() - 400 * 86_400_000
    const memory = (id: string, more: object) => ({
      id,
      content: `text ${id}`,
      salience: 0.8,
      last_seen_at: lastSeen,
      created_at: lastSeen,
      ...more,
    })
    const rates = [{ decay_lambda: 0 }, {}, { decay_lambda: null }, { decay_lambda: -1 }]
    const memories = rates.map((rate, at) => memory(`rate-${at}`, rate))
    const { reports } = await importFile(app, JSON.stringify({ memories }), { query: '?format=openmemory' })
    const records = await Promise.all(reports.map(({ id }) => read(app, id)))
    for (const { salience } of records) expect(salience).toBeCloseTo(0.8, 3)
    const [never, ...others] = records.map(({ lifecycle }) => lifecycle)
    expect(never).toMatchObject({
      last_reinforced_at: new Date(lastSeen).toISOString(),
      decay: { curve: 'exponential', half_life_seconds: 1e11 },
    })
    for (const { last_reinforced_at: anchor } of others)
      expect(Date.parse(anchor)).toBeGreaterThan(lastSeen + 399 * 86_400_000)
  })
})
