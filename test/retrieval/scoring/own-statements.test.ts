import { afterAll, describe, expect, it } from 'vitest'
import type { Body } from '../../support/requests/record-requests.ts'
import { retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const others = [
  'The old bridge is closed for work until June.',
  'I do like a job well done.',
  'The children next door have a trampoline.',
  'Can you find a recipe for lentil soup?',
  'The name of the street is on the map, I think.',
  'A pet shop opened beside the bakery.',
]

/** Stores messages, a day apart, and returns the texts that a question finds, best first. */
async function ask(scope: string, texts: readonly string[], task_descriptor: string): Promise<string[]> {
  const messages = texts.map((content, day) => ({
    role: 'user',
    content,
    at: new Date(Date.UTC(2026, 0, 1 + day)).toISOString(),
  }))
  const path = `/v1/conversations/${scope}/messages`
  const { items } = (await app.request('POST', path, { body: { scope, messages } })).body as Body
  const contents = new Map(items.map((item: Body, at: number) => [item.record_id, texts[at]]))
  const { nodes } = await retrieve(app, { task_descriptor, scopes: [scope], max_hops: 0 })
  return nodes.map(({ record }: Body) => contents.get(record.id))
}

describe('what a person says of themselves', () => {
  it.each([
    ['Been driving the number 22 bus for nine years now.', 'What is my job?'],
    ['My daughter starts school in autumn.', 'Do I have children?'],
    ['The cat has claimed the best chair.', 'Do I have any pets?'],
    ['I grew up on a farm near Graz.', 'Where am I from?'],
    ['Our flat is on the fourth floor.', 'Where do I live?'],
  ])('is found by a question without its words: %s', async (statement, question) => {
    const scope = question.replaceAll(/\W/g, '')
    expect((await ask(scope, [...others, statement], question)).slice(0, 3)).toContain(statement)
  })

  it('is answered by the newer of two statements', async () => {
    const [older, newer] = ['I live in a flat in Rome.', 'I live in a flat in Oslo.']
    const found = await ask('moved', [older, ...others, newer], 'Where do I live?')
    expect(found.slice(0, 2)).toEqual([newer, older])
  })
})
