import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fullTrust } from '../../../src/domain/trust/caller.ts'
import { readQuery } from '../../../src/domain/words/text-query.ts'
import { textSearches } from '../../support/apps/text-searches.ts'
import { createConversationRequests, say } from '../../support/requests/conversation-requests.ts'
import type { Body } from '../../support/requests/record-requests.ts'
import { retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

const texts = {
  gate: 'Das ist wie der Weg, der da ist.',
  fee: 'Die Versammlung hat den Beitrag auf 72 Euro gesetzt.',
  rent: 'El alquiler sube a 1.450 euros.',
  noise: 'Hay ruido por la calle.',
  boots: 'New shoes arrived.',
}

let app: TestApp
const ids: Record<string, string> = {}
const { append } = createConversationRequests(() => app)

beforeAll(async () => {
  app = await startTestApp()
  for (const [name, text] of Object.entries(texts)) {
    const { status, body } = await append(name, [say(name, text)])
    expect(status).toBe(201)
    ids[name] = (body as Body).items[0].record_id
  }
})
afterAll(() => app.close())

describe.each(textSearches)('a question in another language, in %s', (_, open) => {
  async function ask(sentence: string): Promise<string[]> {
    const search = await open(app)
    const found = await search.find(app.db, {
      query: readQuery(sentence),
      trust: fullTrust,
      conditions: [],
      limit: 10,
    })
    return found.map(({ id }) => id)
  }

  it('does not find its function words', async () => {
    expect(await ask('Wie hoch ist der Beitrag?')).toEqual([ids['fee']])
    expect(await ask('¿Por qué sube el alquiler?')).toEqual([ids['rent']])
  })

  it('finds them where it has no other words', async () => {
    expect(await ask('Wie ist das?')).toContain(ids['gate'])
  })

  it('finds no English words of a near meaning', async () => {
    expect(await ask('Wo sind die boots?')).toEqual([])
    expect(await ask('Where are the boots?')).toEqual([ids['boots']])
  })
})

it('is answered over HTTP by what it is about', async () => {
  const { root_ids: found } = await retrieve(app, { task_descriptor: 'Wie hoch ist der Beitrag?' })
  expect(found[0]).toBe(ids['fee'])
})
