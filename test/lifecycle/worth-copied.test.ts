import { afterAll, expect, it } from 'vitest'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** Adds messages, and returns the importance of each. */
async function judge(conversation: string, messages: readonly (readonly [string, string])[]) {
  const answer = await app.request('POST', `/v1/conversations/${conversation}/messages`, {
    body: { messages: messages.map(([role, content]) => ({ role, content })) },
  })
  if (answer.status !== 201) throw new Error(answer.text)
  const ids: string[] = (answer.body as Body).items.map((item: Body) => item.record_id)
  const records = await Promise.all(ids.map((id) => app.request('GET', `/v1/records/${id}`)))
  return records.map(({ body }) => (body as Body).base_importance as number)
}

const article = `On Tuesday 11 March 2025 the council of Ghent voted 34 to 21 to build a tram line of 7.4 kilometres. ${'Mayor Anna Feld expects 28,000 passengers a day from 2031, and costs of 312 million euros. '.repeat(5)}`

it('a copied article is worth less than what the person says, and adds nothing to it', async () => {
  const [fact = 0, alone = 1, told = 1, plain = 0] = await judge('copied', [
    ['user', 'I am allergic to walnuts.'],
    ['user', article],
    ['user', `I work for the tram in Ghent.\n${article}`],
    ['user', 'I work for the tram in Leuven.'],
  ])
  expect(alone).toBeLessThan(fact)
  expect(told).toBeCloseTo(plain, 1)
})

it('a long output of a tool is worth less than a decision at work', async () => {
  const line = (at: number) =>
    `10:42:${10 + at} ERROR pool-${at} exhausted active=${at} trace=${at}ab${at * 7}f request failed upstream`
  const output = Array.from({ length: 12 }, (_, at) => line(at)).join('\n')
  const [decision = 0, long = 1, short = 0] = await judge('output', [
    ['user', 'We decided to drop support for MySQL, and to run on Postgres only from now on.'],
    ['tool', output],
    ['tool', output.slice(0, 390)],
  ])
  expect(long).toBeLessThan(decision)
  expect(short).toBeGreaterThan(long)
})

it('a statement to an assistant is no request, even if the person does not name itself', async () => {
  const [, statement = 0, request = 1] = await judge('statement', [
    ['assistant', 'Noted.'],
    ['user', 'The spare key is with Bo on the second floor.'],
    ['user', 'Write about the spare key of Bo on the second floor.'],
  ])
  expect(request).toBeLessThan(statement)
})

it('a chat in which a tool once wrote something is judged as a chat', async () => {
  const chat = (place: number) =>
    [
      ['user', `I had tea at ${place}.`],
      ['assistant', 'Lovely!'],
    ] as const
  const said = Array.from({ length: 9 }, (_, place) => chat(place)).flat()
  const long =
    'You can wash the sleeping bag at 30 degrees with a detergent for down, and dry it at low heat.'
  const fact = ['user', 'I am allergic to latex.'] as const
  const judged = await judge('chat', [['tool', 'ok'], ...said, ['assistant', long], fact])
  expect(judged.at(-2)).toBeLessThan(judged.at(-1) ?? 0)
  const work = await judge('work', [...said.slice(0, 8), ['tool', 'ok'], ['assistant', long], fact])
  expect(work.at(-2)).toBeGreaterThan(work.at(-1) ?? 0)
})
