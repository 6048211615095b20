import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults } from '../../support/files/foreign-files.ts'
import { buildZip } from '../../support/files/zip-file.ts'
import type { Body } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** A document that was pasted into a message. */
const tooLong = 'x'.repeat(100_001)
const half = '\ud83d'

const claude = (id: string, ...texts: string[]) => ({
  uuid: id,
  chat_messages: texts.map((text, n) => ({ uuid: `m${n}`, sender: 'human', text })),
})

const chatgpt = (id: string, ...texts: string[]) => ({
  id,
  current_node: `n${texts.length - 1}`,
  mapping: Object.fromEntries(
    texts.map((text, n) => [
      `n${n}`,
      {
        parent: n === 0 ? null : `n${n - 1}`,
        message: { id: `m${n}`, author: { role: 'user' }, content: { parts: [text] } },
      },
    ]),
  ),
})

const letta = (id: string, ...texts: string[]) => ({
  name: id,
  block_ids: [],
  messages: texts.map((content, n) => ({ id: `m${n}`, role: 'user', content })),
})

async function listTexts(conversation: string): Promise<string[]> {
  const { body } = await app.request('GET', `/v1/conversations/${conversation}/messages`)
  return (body as Body).items.map(({ content }: Body) => content)
}

const faults = (reports: Body[]) =>
  reports.flatMap(({ problem }) => (problem ? problem.errors.map((each: Body) => Object.values(each)) : []))

describe('a message of another program that cannot be stored', () => {
  it.each([
    ['claude', (items: object[]) => items, claude, '/chat_messages/1'],
    ['chatgpt', (items: object[]) => items, chatgpt, '/mapping/n1'],
    ['letta', (agents: object[]) => ({ agents }), letta, '/messages/1'],
  ])('is refused alone, with its place: %s', async (format, wrap, conversation, place) => {
    const file = wrap([
      conversation(`${format}-1`, 'Before', tooLong, 'After'),
      conversation(`${format}-2`, 'Other'),
    ])
    const { reports } = await importFile(app, JSON.stringify(file), { query: `?format=${format}` })
    expect(listLineResults({ reports })).toEqual([
      '1 created',
      '1 invalid validation_failed',
      '1 created',
      '2 created',
    ])
    expect(faults(reports)).toEqual([[place, 'must have at most 100000 characters']])
    expect(await listTexts(`${format}-1`)).toEqual(['Before', 'After'])
  })

  it('is refused alone when a field has another form', async () => {
    const file = claude('form-1', 'Before', 'When?')
    Object.assign(file.chat_messages[1] ?? {}, { created_at: 'soon' })
    const { reports } = await importFile(app, JSON.stringify([file]))
    expect(listLineResults({ reports })).toEqual(['1 created', '1 invalid validation_failed'])
    expect(faults(reports)).toEqual([['/chat_messages/1/created_at', 'is not a time']])
  })

  it('is refused alone in an archive too, where a broken item does not affect the others', async () => {
    const items = [claude('zip-1', 'Before', half), claude('zip-2', 'Other')].map((each) =>
      JSON.stringify(each),
    )
    const zip = buildZip([
      { name: 'conversations.json', data: ` [${items.join(',')}, {broken}]` },
      { name: 'users.json', data: '[]' },
    ])
    const { reports } = await importFile(app, zip)
    expect(listLineResults({ reports })).toEqual([
      '1 created',
      '1 invalid validation_failed',
      '2 created',
      '3 invalid malformed_json',
    ])
    expect(await listTexts('zip-2')).toEqual(['Other'])
  })

  it('does not matter in a field that is lost', async () => {
    const memory = { id: 'a', memory: 'A text', metadata: { page: tooLong, cut: half, nul: '\0' } }
    const { reports } = await importFile(app, JSON.stringify({ results: [memory] }))
    expect(listLineResults({ reports })).toEqual(['1 created'])
  })

  it('never reaches the database', async () => {
    for (const text of ['\0', half]) {
      const memory = { id: text, memory: text, user_id: text, created_at: text, categories: [text] }
      const row = { namespace: [text], key: text, value: text }
      const edge = { uuid: text, source_node_uuid: text, name: text, fact: text, episodes: [text] }
      for (const [format, file] of Object.entries({
        mem0: { results: [memory, { ...memory, created_at: null }] },
        langgraph: [row],
        graphiti: { nodes: [{ uuid: text, name: text }], edges: [edge] },
        chatgpt: [chatgpt(text, 'A text'), chatgpt('a', text)],
        claude: [claude(text, 'A text')],
        letta: { agents: [letta(text, 'A text')], blocks: [{ label: text, value: text }] },
        openmemory: [{ id: text, content: text, tags: [text] }],
      })) {
        const { status, ending, reports } = await importFile(app, JSON.stringify(file), {
          query: `?format=${format}`,
        })
        expect(status).toBe(200)
        expect(ending.summary).toMatchObject({ created: 0, conflict: 0, invalid: reports.length })
        expect(reports.length).toBeGreaterThan(0)
      }
    }
  })
})
