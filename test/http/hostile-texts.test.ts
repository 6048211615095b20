import { afterAll, describe, expect, it } from 'vitest'
import { create } from '../support/requests/record-requests.ts'
import { listNodeIds, retrieve } from '../support/requests/retrieval-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const store = (object: string | string[]) =>
  create(app, { type: 'semantic', payload: { kind: 'semantic', subject: 'a', predicate: 'b', object } })

const search = async (text: string) => listNodeIds(await retrieve(app, { task_descriptor: text }))

describe('a text that makes words slow or long', () => {
  it('is stored when it is one word of very many parts, and is found by a part', async () => {
    const { id } = await store(`zebra ${'\u33c2'.repeat(87_000)}`)
    expect(await search('zebra')).toContain(id)
  })

  it('is stored when its characters become longer in the index', async () => {
    const words = Array.from({ length: 9_000 }, (_, index) => `${index.toString(36)}${'\u3316'.repeat(8)}`)
    const { id } = await store(['giraffe', words.slice(0, 4_500).join(' '), words.slice(4_500).join(' ')])
    expect(await search('giraffe')).toContain(id)
  })

  it('is stored when every pair of its letters is another word', async () => {
    const letters = Array.from({ length: 90_000 }, (_, at) =>
      String.fromCodePoint(0x4e00 + ((at * 7_919 + ((at * at) % 977) * 13) % 20_000)),
    )
    const { id } = await store(`zorilla ${letters.join('')}`)
    expect(await search('zorilla')).toContain(id)
  })

  it('is remembered when a word after "token" has very many parts', async () => {
    const body = { text: `token ${'aa-'.repeat(60)}aa1` }
    expect((await app.request('POST', '/v1/remember', { body })).status).toBe(201)
  })
})
