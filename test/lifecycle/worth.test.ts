import { afterAll, describe, expect, it } from 'vitest'
import { capture } from '../support/requests/capture-requests.ts'
import { type Body, create, fact, payloads, read } from '../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'k'.repeat(32) } })
afterAll(() => app.close())

const explain = async (id: string): Promise<Body> =>
  (await app.request('GET', `/v1/records/${id}/explain`)).body
const partOf = (worth: Body, name: string) =>
  worth.parts.find((part: Body) => part.name === name)?.value as number

/** Adds messages and returns the explained worth of each. */
async function say(
  conversation: string,
  messages: object[],
  more: object = {},
  options: RequestOptions = {},
) {
  const answer = await app.request('POST', `/v1/conversations/${conversation}/messages`, {
    ...options,
    body: { messages: messages.map((each) => ({ role: 'user', ...each })), ...more },
  })
  if (answer.status !== 201) throw new Error(answer.text)
  const ids: string[] = (answer.body as Body).items.map((item: Body) => item.record_id)
  return Promise.all(ids.map(async (id) => ({ id, ...(await explain(id)).worth })))
}

it('two people are judged alike, however a client writes who of them said what', async () => {
  const lines = [
    ['Ada', 'user', 'How was your trip to Rome in May?'],
    ['Bo', 'assistant', 'It was loud! I stayed at the Hotel Roma for nine days with my sister.'],
    ['Ada', 'user', 'Nice. I moved to Lisbon on Monday.'],
    ['Bo', 'assistant', 'I want to visit you in June.'],
  ] as const
  const judge = async (conversation: string, write: (line: (typeof lines)[number]) => object) =>
    (await say(conversation, lines.map(write))).map(({ value }: Body) => value)
  const people = await judge('people', ([name, , content]) => ({ name, content }))
  expect(await judge('labels', ([name, , content]) => ({ content: `${name}: ${content}` }))).toEqual(people)
  expect(await judge('roles', ([name, role, content]) => ({ name, role, content }))).toEqual(people)
  expect(await judge('both', ([name, role, content]) => ({ role, content: `${name}: ${content}` }))).toEqual(
    people,
  )
  expect(await judge('nameless', ([, role, content]) => ({ role, content }))).not.toEqual(people)
})

it('a heading that is not the name of the speaker is judged with the text', async () => {
  const said = 'I stayed there for nine days.'
  const [heading] = await say('heading', [{ name: 'Ada', content: `Kyoto: ${said}` }])
  const [plain] = await say('no heading', [{ name: 'Ada', content: said }])
  expect(heading?.value).toBeGreaterThan(plain?.value)
})

describe('a record whose importance is not named', () => {
  it('is judged when it is created, and the answer and explain say how', async () => {
    const record = await create(app, fact())
    const { worth, importance } = await explain(record.id)
    expect(worth.value).toBe(record.base_importance)
    expect(importance.base_importance).toBe(record.base_importance)
    expect(importance.factors.base.value).toBe(record.base_importance)
    expect(worth.learned).toBe(false)
    const sum = worth.parts.reduce((total: number, each: Body) => total + each.contribution, 0)
    expect(worth.value).toBeCloseTo(0.05 + 0.65 / (1 + Math.exp(-sum)), 9)
    for (const { value, weight, contribution } of worth.parts)
      expect(contribution).toBeCloseTo(value * weight, 12)
  })

  it('is judged when it is captured, with the facts that come of it', async () => {
    const answer = await capture(app, 'We moved the billing service to Frankfurt on 3 May.')
    for (const { id, base_importance: base } of answer.created_records)
      expect((await explain(id)).worth.value).toBe(base)
    const [greeting] = (await capture(app, 'Good morning!')).created_records
    expect(greeting.base_importance).toBeLessThan(answer.created_records[0].base_importance)
  })

  it('keeps a named importance, and shows no judgement of it', async () => {
    const named = await create(app, fact({ base_importance: 0.5 }))
    expect(named.base_importance).toBe(0.5)
    expect((await explain(named.id)).worth).toBeUndefined()
    const captured = await capture(app, 'Named with a capture.', { importance: 0.9 })
    expect(captured.created_records[0].base_importance).toBe(0.9)
    expect((await explain(captured.created_records[0].id)).worth).toBeUndefined()
  })

  it('takes a named importance in its place, and is judged again when that is withdrawn', async () => {
    const { id, base_importance: judged } = await create(app, fact())
    const patch = (base: number | null) =>
      app.request('PATCH', `/v1/records/${id}`, { body: { base_importance: base } })
    await patch(0.9)
    expect((await read(app, id)).base_importance).toBe(0.9)
    expect((await explain(id)).worth).toBeUndefined()
    await patch(null)
    expect((await read(app, id)).base_importance).toBe(judged)
    expect((await explain(id)).worth.value).toBe(judged)
  })

  it('shows a judgement only to those who see the whole record', async () => {
    const { id } = await create(app, fact({ sensitivity: 'high', scope: 'team' }))
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'medium', scopes: ['team'] })
    const seen = await app.request('GET', `/v1/records/${id}/explain`, { key })
    expect(seen.status).toBe(403)
    expect(seen.text).not.toContain('worth')
    expect((await app.request('GET', `/v1/records/${id}`, { key })).text).not.toContain('importance')
  })

  it('keeps its judgement while it is forgotten, and loses it when it is erased', async () => {
    const { id, base_importance: judged } = await create(app, fact({ scope: 'gone' }))
    await app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`)
    expect((await explain(id)).worth.value).toBe(judged)
    await app.request('POST', `/v1/records/${id}/restore`, { body: { actor: 'a', rationale: 'b' } })
    await app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'a', rationale: 'b' } })
    expect((await explain(id)).worth).toBeUndefined()
  })

  it('is judged without words, too', async () => {
    const { id, base_importance: base } = await create(app, { type: 'episodic', payload: payloads.episodic })
    expect(base).toBeGreaterThanOrEqual(0.05)
    expect(partOf((await explain(id)).worth, 'information')).toBe(0)
  })
})

describe('a message', () => {
  const question = { id: 'q', name: 'Ada', content: 'Where does your sister live now?' }
  const answer = { id: 'a', name: 'Bo', content: 'In Porto, near the harbour.' }

  it('is worth more as the answer to a question, in one call or in two', async () => {
    const [, together] = await say('one-call', [question, answer])
    await say('two-calls', [question])
    const [apart] = await say('two-calls', [answer])
    expect([together?.value, apart?.value].map((value) => value > 0)).toEqual([true, true])
    expect(apart?.value).toBe(together?.value)
    expect(partOf(together, 'answer')).toBe(1)
    const [alone] = await say('alone', [answer])
    expect(partOf(alone, 'answer')).toBe(0)
    expect(alone?.value).toBeLessThan(together?.value)
  })

  it('is judged by the order of the conversation, not of the call', async () => {
    const at = (minute: number) => `2025-06-01T08:0${minute}:00.000Z`
    const [late, early] = await say('by-time', [
      { ...answer, at: at(2) },
      { ...question, at: at(1) },
    ])
    expect(partOf(late, 'answer')).toBe(1)
    expect(partOf(early, 'answer')).toBe(0)
  })

  it('is worth what it says where a tool takes part, also when the tool wrote in an earlier call', async () => {
    const report = {
      id: 'r',
      role: 'assistant',
      content:
        'The ferry engine stops because pump 4 loses 0.3 bar an hour; a new seal from Kestrel ends it.',
    }
    const [chat] = await say('chat', [report])
    await say('work', [{ id: 't', role: 'tool', content: 'pump 4: 2.1 bar' }])
    const [work] = await say('work', [report])
    expect(partOf(chat, 'detail')).toBe(0)
    expect(partOf(work, 'detail')).toBeGreaterThan(0.5)
    expect(work?.value).toBeGreaterThan(chat?.value)
  })

  it('brings less news with every repetition', async () => {
    const [first] = await say('daily', [
      { id: '1', content: 'Good morning, the harbour ferry leaves at nine!' },
    ])
    const [second] = await say('daily', [
      { id: '2', content: 'Good morning, the harbour ferry leaves at nine!' },
    ])
    expect(partOf(second, 'novelty')).toBe(0)
    expect(second?.value).toBeLessThan(first?.value)
  })

  it('tells nothing about hidden, forgotten or erased messages before it', async () => {
    const scope = { scope: 'team' }
    const [plain] = await say('plain', [answer], scope)
    await say('hidden', [question], { ...scope, sensitivity: 'high' })
    const key = await app.issueKey(['records:read', 'records:write'], {
      scopes: ['team'],
      max_sensitivity: 'low',
    })
    const [beside] = await say('hidden', [answer], { ...scope, sensitivity: 'low' }, { key })
    expect(beside).toEqual({ ...plain, id: beside?.id })
    // Written by somebody who sees both, read by somebody who does not.
    const [byAll] = await say('hidden', [{ ...answer, id: 'b' }], { ...scope, sensitivity: 'public' })
    expect(byAll).toEqual({ ...plain, id: byAll?.id })
    for (const [name, end] of [
      ['forgotten', (id: string) => app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`)],
      [
        'erased',
        (id: string) =>
          app.request('POST', `/v1/records/${id}/erase`, { body: { actor: 'a', rationale: 'b' } }),
      ],
    ] as const) {
      const [asked] = await say(name, [{ ...question, content: `${question.content} ${name}` }], scope)
      expect((await end(asked?.id)).status).toBeLessThan(300)
      const [after] = await say(name, [answer], scope)
      expect(after).toEqual({ ...plain, id: after?.id })
    }
    const [elsewhere] = await say('plain', [{ ...answer, id: 'c' }], { scope: 'other' })
    expect(elsewhere?.value).toBe(plain?.value)
  })
})
