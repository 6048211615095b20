import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fullTrust, type Trust } from '../../../src/domain/trust/caller.ts'
import { readQuery } from '../../../src/domain/words/text-query.ts'
import { textSearches } from '../../support/apps/text-searches.ts'
import { createConversationRequests, say } from '../../support/requests/conversation-requests.ts'
import type { Body } from '../../support/requests/record-requests.ts'
import { retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const texts = {
  research: 'My research is about old maps.',
  linear: 'The linear motor costs a fortune.',
  train: 'The night train was cancelled.',
  kubernetes: 'The Kubernetes cluster was upgraded.',
  upgrade: 'Kubernetes needs an upgrade again.',
  ticket: 'Ticket AB12345 is about src/mailer.ts.',
  follower: 'AB12345 and src/mailer.ts again.',
  ballet: 'The ballet begins at noon.',
  mango: 'Bring a mango.',
  ripe: 'The mango is ripe.',
}

const ids: Record<string, string> = {}
const { append } = createConversationRequests(() => app)

const app = await startTestApp()
beforeAll(async () => {
  for (const [name, text] of Object.entries(texts)) ids[name] = await store(name, text)
  ids['secret'] = await store('secret', 'Linar is a secret.', { sensitivity: 'high' })
})
afterAll(() => app.close())

async function store(name: string, text: string, more: object = {}): Promise<string> {
  const { status, body } = await append(name, [say(name, text)], { sensitivity: 'low', ...more })
  expect(status).toBe(201)
  return (body as Body).items[0].record_id
}

const low: Trust = { ...fullTrust, maxSensitivity: 'low' }
describe.each(textSearches)('a misspelled word of a question, in %s', (_, open) => {
  async function ask(sentence: string, trust = fullTrust): Promise<string[]> {
    const search = await open(app)
    const surroundings = { contextConditions: [], gapMs: 60_000, requested: 10 }
    const conditions = [sql<boolean>`r.forgotten_at is null`]
    const found = await search.find(app.db, {
      query: readQuery(sentence),
      trust,
      conditions,
      limit: 10,
      surroundings,
    })
    return found.map(({ id }) => id)
  }

  it('finds what it may mean', async () => {
    expect(await ask('Who did the reserch?')).toEqual([ids['research']])
    expect(await ask('reserach')).toEqual([ids['research']])
    expect(await ask('the trian')).toEqual([ids['train']])
  })

  it('finds a name that only the store knows, in any case', async () => {
    const both = [ids['kubernetes'], ids['upgrade']].sort()
    expect((await ask('Kuberntes')).sort()).toEqual(both)
    expect((await ask('was kuberentes slow?')).sort()).toEqual(both)
  })

  it('is no number or identifier: another one is another thing', async () => {
    expect(await ask('AB12346')).toEqual([])
    expect(await ask('src/mailer.js')).not.toEqual([])
    const { mailer, whole } = { mailer: await ask('mailer'), whole: await ask('srczqmailerzqjs') }
    expect([mailer.length, whole]).toEqual([2, []])
  })

  it('never means a scope or a type', async () => {
    expect(await ask('scopex')).toEqual([])
    expect(await ask('typexepisodic')).toEqual([])
  })

  it('is no word of another language', async () => {
    expect(await ask('billet')).toEqual([ids['ballet']])
    expect(await ask('Quel est le numéro du billet ?')).toEqual([])
    expect(await ask('mangp')).toHaveLength(2)
    expect(await ask('mangé')).toEqual([])
  })

  it('is not misspelled where a record contains it', async () => {
    expect(await ask('linar')).toEqual([ids['secret']])
  })

  it('is misspelled for a caller who may not read the record that contains it', async () => {
    expect(await ask('linar', low)).toEqual([ids['linear']])
  })
})

it('names the speaker whose name it nearly is, if it names no other', async () => {
  const talk = [
    say('t1', 'I painted a lake at sunrise.', { name: 'Caroline' }),
    say('t2', 'I painted a lake at sunset, on a canvas.', { name: 'Joline' }),
  ]
  const { body } = await append('talk', talk)
  const [caroline, joline] = (body as Body).items.map(({ record_id: id }: Body) => id)
  async function weigh(question: string) {
    const { nodes } = await retrieve(app, { task_descriptor: question, explain: true, record_access: false })
    const factors = new Map(nodes.map(({ record, signals }: Body) => [record.id, signals.speaker_factor]))
    return [factors.get(caroline), factors.get(joline)]
  }
  expect(await weigh('When did Joline paint a lake?')).toEqual([expect.any(Number), 1])
  const [other, named] = await weigh('When did Jolinne paint a lake?')
  expect(other).toBeLessThan(1)
  expect(named).toBe(1)
  expect(await weigh('When did Jollina paint a lake?')).toEqual([1, 1])
  expect(await weigh('When did Caroline and Jolinne paint a lake?')).toEqual([1, other])
})
