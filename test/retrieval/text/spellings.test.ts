import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fullTrust } from '../../../src/domain/trust/caller.ts'
import { readQuery } from '../../../src/domain/words/text-query.ts'
import { textSearches } from '../../support/apps/text-searches.ts'
import type { Body } from '../../support/requests/record-requests.ts'
import { buildStatement, retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

const texts = {
  code: 'The heating shows P118.',
  hyphen: 'The display shows F-404.',
  mail: 'Send it by email.',
  bench: 'Run the test on bench 47 first.',
  other: 'Run the benchmark of table 48.',
}

let app: TestApp
const ids: Record<string, string> = {}

beforeAll(async () => {
  app = await startTestApp()
  for (const [name, text] of Object.entries(texts)) {
    const { status, body } = await app.request('POST', '/v1/records', { body: buildStatement(text) })
    expect(status).toBe(201)
    ids[name] = (body as Body).id
  }
})
afterAll(() => app.close())

describe.each(textSearches)('another way to write a word, in %s', (_, open) => {
  async function ask(sentence: string): Promise<string[]> {
    const search = await open(app)
    const query = readQuery(sentence)
    const found = await search.find(app.db, { query, trust: fullTrust, conditions: [], limit: 10 })
    return found.map(({ id }) => id)
  }

  it('is found where a hyphen is left out', async () => {
    expect(await ask('P-118')).toEqual([ids['code']])
    expect(await ask('e-mail')).toEqual([ids['mail']])
  })

  it('is found where a hyphen is added', async () => {
    expect(await ask('F404')).toEqual([ids['hyphen']])
  })

  it('is found where a number is written apart', async () => {
    expect(await ask('bench47')).toEqual([ids['bench']])
    expect(await ask('bench49')).toEqual([ids['bench']])
  })

  it('is not found by a part of a longer identifier', async () => {
    expect(await ask('a47-b48-c49/table4')).not.toContain(ids['bench'])
  })
})

it('is first over HTTP', async () => {
  const { root_ids: found } = await retrieve(app, { task_descriptor: 'what about bench47' })
  expect(found[0]).toBe(ids['bench'])
})
