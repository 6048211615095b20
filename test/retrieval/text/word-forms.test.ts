import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fullTrust, type Trust } from '../../../src/domain/trust/caller.ts'
import { readQuery } from '../../../src/domain/words/text-query.ts'
import { textSearches } from '../../support/apps/text-searches.ts'
import { createConversationRequests, say } from '../../support/requests/conversation-requests.ts'
import type { Body } from '../../support/requests/record-requests.ts'
import { retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

const texts = {
  teams: 'Наша команда выиграла матч.',
  library: 'Die Bibliotheken sind sonntags zu.',
  cities: 'Şehirlerimizde çok park var.',
  hindi: 'मेरी कहानियों की किताब खो गई।',
  commands: 'Das Kommando wurde umbenannt.',
  planet: 'The planet is far away.',
}

let app: TestApp
const ids: Record<string, string> = {}
const { append } = createConversationRequests(() => app)

beforeAll(async () => {
  app = await startTestApp()
  for (const [name, text] of Object.entries(texts)) ids[name] = await store(name, text)
  for (const ending of ['ung', 'ungen', 'er', 'ern', 'ers'])
    await store(`wander${ending}`, `Wander${ending}`, { sensitivity: 'high' })
  ids['wanders'] = await store('wanders', 'Wandernd kam sie an.')
})
afterAll(() => app.close())

async function store(name: string, text: string, more: object = {}): Promise<string> {
  const { status, body } = await append(name, [say(name, text)], { sensitivity: 'low', ...more })
  expect(status).toBe(201)
  return (body as Body).items[0].record_id
}

const low: Trust = { ...fullTrust, maxSensitivity: 'low' }
describe.each(textSearches)('a word of another language, in %s', (_, open) => {
  async function ask(sentence: string, trust = fullTrust): Promise<string[]> {
    const search = await open(app)
    const found = await search.find(app.db, { query: readQuery(sentence), trust, conditions: [], limit: 10 })
    return found.map(({ id }) => id)
  }

  it('finds its other forms', async () => {
    expect(await ask('игра команды')).toEqual([ids['teams']])
    expect(await ask('Bibliothek?')).toEqual([ids['library']])
    expect(await ask('şehirlerin')).toEqual([ids['cities']])
    expect(await ask('कहानियाँ')).toEqual([ids['hindi']])
  })

  it('does not find words that only begin alike, or are too short', async () => {
    expect(await ask('Kommandeurinnen')).toEqual([])
    expect(await ask('матчи')).toEqual([])
  })

  it('finds no other forms of an English word, which has a stem', async () => {
    expect(await ask('plane')).toEqual([])
  })

  it('is no name in an English question', async () => {
    expect(await ask('What does Wanderta like?', low)).toEqual([])
    expect(await ask('Was mag Wanderta?', low)).toEqual([ids['wanders']])
  })

  it('is found however many forms are in records that the caller may not see', async () => {
    expect(await ask('wanderte', low)).toEqual([ids['wanders']])
  })
})

it('is found by another form as soon as it is stored, below a record with the word itself', async () => {
  const other = await store('new-form', 'Вчера купили новые велосипеды.')
  const same = await store('same-form', 'У меня новый велосипед.')
  const { nodes } = await retrieve(app, { task_descriptor: 'Где велосипед?', record_access: false })
  expect(nodes.map(({ record }: Body) => record.id).slice(0, 2)).toEqual([same, other])
})
