import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fullTrust } from '../../../src/domain/trust/caller.ts'
import { readQuestionText } from '../../../src/retrieval/question/question-text.ts'
import { textSearches } from '../../support/apps/text-searches.ts'
import { type Body, create } from '../../support/requests/record-requests.ts'
import { buildStatement, listNodeIds, retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp, type TestApp } from '../../support/test-app.ts'

let app: TestApp
const ids: Record<string, string> = {}

beforeAll(async () => {
  app = await startTestApp()
  const texts = {
    ferry: 'The ferry to Porto leaves at seven.',
    office: 'The office was loud all week, and my back hurts from the chair in the office.',
    ada: 'Ada bought a red bicycle in the harbour.',
  }
  for (const [name, text] of Object.entries(texts)) ids[name] = (await create(app, buildStatement(text))).id
})
afterAll(() => app.close())

describe.each(textSearches)('a remark beside a question, in %s', (_, open) => {
  async function score(task: string): Promise<Map<string, number>> {
    const { query } = readQuestionText(task)
    const search = await open(app)
    const found = await search.find(app.db, { query, trust: fullTrust, conditions: [], limit: 10 })
    return new Map(found.map(({ id, score }) => [id, score]))
  }

  it('counts a third, and less than the question', async () => {
    const alone = await score('Loud office week, back, chair')
    const remarked = await score('Loud office week, back, chair. When does the ferry to Porto leave?')
    const asked = await score('When does the ferry to Porto leave?')
    const office = ids['office'] ?? ''
    expect(remarked.get(office)).toBeCloseTo((alone.get(office) ?? 0) / 3, 6)
    expect([...remarked.keys()].slice(0, 2)).toEqual([ids['ferry'], office])
    expect(remarked.get(ids['ferry'] ?? '')).toBeCloseTo(asked.get(ids['ferry'] ?? '') ?? 0, 6)
  })

  it('counts in full where the question says nothing else', async () => {
    const alone = await score('Ada goes to the harbour.')
    const asked = await score('Ada goes to the harbour. What should I bring?')
    expect(asked.get(ids['ada'] ?? '')).toBeCloseTo(alone.get(ids['ada'] ?? '') ?? 0, 6)
  })
})

describe('a question with remarks, over HTTP', () => {
  const ask = (task_descriptor: string) =>
    retrieve(app, { task_descriptor, max_hops: 0, explain: true, record_access: false })

  it('finds its answer before what the remarks are about', async () => {
    const remark = 'The office was loud all week, my back hurts, and the chair in the office is broken.'
    for (const task of [
      `${remark} When does the ferry to Porto leave?`,
      `When does the ferry to Porto leave? ${remark}`,
      `User: Was the office loud?\nAssistant: ${remark}\nUser: When does the ferry to Porto leave?`,
    ])
      expect(listNodeIds(await ask(task)).slice(0, 2)).toEqual([ids['ferry'], ids['office']])
  })

  it('is read without them: "I" of a remark does not make it a question about the person who asks', async () => {
    const body = { messages: [{ id: 'm1', role: 'user', content: 'I prefer the window seat on a ferry.' }] }
    const answer = await app.request('POST', '/v1/conversations/seats/messages', { body })
    const id = (answer.body as Body).items[0].record_id
    const factors = async (task: string) => {
      const { nodes } = await ask(task)
      return nodes.find(({ record }: Body) => record.id === id)?.signals.guidance_factor
    }
    expect(await factors('Which ferry seat should I take?')).toBe(1.7)
    expect(await factors('I had a long week. Which ferry seat did Ada take?')).toBe(1)
  })

  it('is about no time that a remark names, such as the present date', async () => {
    const today = app.clock.now().toISOString().slice(0, 10)
    const factors = async (task: string) => {
      const { nodes } = await ask(task)
      return nodes.find(({ record }: Body) => record.id === ids['ferry'])?.signals.time_factor
    }
    expect(await factors('Which ferry to Porto was named today?')).toBe(1.5)
    expect(await factors(`Today is ${today}. Which ferry leaves for Porto?`)).toBe(1)
  })

  it('quotes long texts around the words of the question', async () => {
    const filler = Array.from({ length: 400 }, (_, at) => `office chair week ${at}.`).join(' ')
    const text = `${filler} The lighthouse of Faro opens at nine. ${filler}`
    const messages = [{ id: 'm1', role: 'assistant', content: text }]
    expect((await app.request('POST', '/v1/conversations/c/messages', { body: { messages } })).status).toBe(
      201,
    )
    const task_descriptor = 'The office chair was bad this week. When does the lighthouse of Faro open?'
    const { status, body } = await app.request('POST', '/v1/context', { body: { task_descriptor } })
    expect(status).toBe(200)
    expect((body as Body).text).toContain('opens at nine')
  })
})
