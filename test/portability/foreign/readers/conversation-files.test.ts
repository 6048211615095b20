import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults, readFixture } from '../../../support/files/foreign-files.ts'
import { type Body, read } from '../../../support/requests/record-requests.ts'
import { startTestApp } from '../../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

async function listMessages(conversation: string, query = ''): Promise<[string, string, string][]> {
  const path = `/v1/conversations/${encodeURIComponent(conversation)}/messages${query}`
  const answer = await app.request('GET', path)
  const { items } = answer.body as Body
  return items.map(({ message_id: id, role, content }: Body) => [id, role, content])
}

describe('an import of ChatGPT', () => {
  it('keeps the branch that was shown, without hidden messages', async () => {
    const { reports, ending } = await importFile(app, await readFixture('chatgpt.json'))
    expect(ending).toMatchObject({ format: 'chatgpt', summary: { created: 2, invalid: 1 } })
    expect(listLineResults({ reports })).toEqual(['1 created', '1 created', '2 invalid validation_failed'])
    expect(await listMessages('conv-coast')).toEqual([
      ['m1', 'user', 'What should I pack for a rainy week?'],
      ['m5', 'assistant', 'A rain jacket and dry socks.'],
    ])
    const answer = await read(app, reports[1].id)
    expect(answer.payload.conversation.at).toBe('2024-10-27T03:33:30.500Z')
    expect(answer.provenance.sources[0].ref).toBe('conversation:conv-coast#m5')
    expect(answer).toMatchObject({ type: 'episodic', source_type: 'ingest' })
  })

  it('changes nothing the second time, also not messages that were forgotten', async () => {
    const file = JSON.stringify([
      {
        id: 'conv-again',
        current_node: 'b',
        mapping: {
          a: { parent: null, message: { id: 'ma', author: { role: 'user' }, content: { parts: ['First'] } } },
          b: {
            parent: 'a',
            message: { id: 'mb', author: { role: 'assistant' }, content: { parts: ['Second'] } },
          },
        },
      },
    ])
    const { reports } = await importFile(app, file)
    await app.request('DELETE', `/v1/records/${reports[0].id}?actor=tester&rationale=unneeded`)
    app.clock.advance(60_000)
    expect(listLineResults(await importFile(app, file))).toEqual(['1 unchanged', '1 unchanged'])
    expect(await listMessages('conv-again')).toEqual([['mb', 'assistant', 'Second']])
    const changed = await importFile(app, file.replace('Second', 'Third'))
    expect(listLineResults(changed)).toEqual(['1 unchanged', '1 conflict record_exists'])
  })
})

describe('an import of a conversation that was appended before', () => {
  const claude = (id: string, text: string) =>
    JSON.stringify([
      {
        uuid: id,
        chat_messages: [
          { uuid: 'm1', sender: 'human', text: 'When does the ferry leave?' },
          { uuid: 'm2', sender: 'assistant', text },
        ],
      },
    ])
  const messages = [
    { id: 'm1', role: 'user', content: 'When does the ferry leave?' },
    { id: 'm2', role: 'assistant', content: 'At nine.' },
  ]
  const append = (id: string, body: object, key?: string) =>
    app.request('POST', `/v1/conversations/${id}/messages`, { body, ...(key ? { key } : {}) })

  it('finds its messages by their ids, and reports another text as a conflict', async () => {
    const key = await app.issueKey(['records:write'], { scopes: ['ferry'] })
    const { items } = (await append('conv-ferry', { scope: 'ferry', messages }, key)).body as Body
    const query = '?scope=ferry'
    const dryRun = await importFile(app, claude('conv-ferry', 'At nine.'), {
      query: `${query}&dry_run=true`,
      key,
    })
    expect(dryRun.ending).toMatchObject({ summary: { created: 0, unchanged: 2 }, sample: [] })
    const again = await importFile(app, claude('conv-ferry', 'At nine.'), { query, key })
    expect(listLineResults(again)).toEqual(['1 unchanged', '1 unchanged'])
    expect(again.reports.map(({ id }) => id)).toEqual(items.map((each: Body) => each.record_id))
    const other = await importFile(app, claude('conv-ferry', 'At ten.'), { query, key })
    expect(listLineResults(other)).toEqual(['1 unchanged', '1 conflict message_conflict'])
    expect(await listMessages('conv-ferry', query)).toHaveLength(2)
    const elsewhere = await importFile(app, claude('conv-ferry', 'At ten.'))
    expect(listLineResults(elsewhere)).toEqual(['1 created', '1 created'])
  })

  it('keeps a forgotten message forgotten, and a message that was imported first is found by an append', async () => {
    const { items } = (await append('conv-forgotten', { messages })).body as Body
    await app.request('DELETE', `/v1/records/${items[1].record_id}?actor=tester&rationale=unneeded`)
    expect(listLineResults(await importFile(app, claude('conv-forgotten', 'At nine.')))).toEqual([
      '1 unchanged',
      '1 unchanged',
    ])
    expect(await listMessages('conv-forgotten')).toHaveLength(1)
    await importFile(app, claude('conv-first', 'At nine.'))
    const appended = (await append('conv-first', { messages })).body as Body
    expect(appended.items.map(({ status }: Body) => status)).toEqual(['unchanged', 'unchanged'])
  })

  it('does not show what a more sensitive message of the same id says', async () => {
    await append('conv-secret', { scope: 'ferry', sensitivity: 'high', messages })
    const key = await app.issueKey(['records:write'], { scopes: ['ferry'], max_sensitivity: 'low' })
    const query = '?scope=ferry'
    const { reports } = await importFile(app, claude('conv-secret', 'At ten.'), { query, key })
    expect(listLineResults({ reports })).toEqual(['1 created', '1 created'])
  })

  it('stores each message once when it is appended and imported at once', async () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ id: `m${n}`, role: 'user', content: `Said ${n}` }))
    const file = JSON.stringify([
      {
        uuid: 'conv-race',
        chat_messages: many.map(({ id, content }) => ({ uuid: id, sender: 'human', text: content })),
      },
    ])
    const [imported, appended] = await Promise.all([
      importFile(app, file),
      append('conv-race', { messages: many }),
    ])
    expect(appended.status).toBeLessThan(300)
    expect(imported.ending.summary).toMatchObject({ conflict: 0, invalid: 0 })
    expect(await listMessages('conv-race')).toHaveLength(20)
  })
})

describe('an import of Claude', () => {
  it('makes conversations with the text of attachments', async () => {
    const { ending } = await importFile(app, await readFixture('claude-conversations.json'))
    expect(ending).toMatchObject({ format: 'claude', summary: { created: 2, invalid: 0 } })
    expect(await listMessages('5d8b2f10-1111-4a4a-8b8b-000000000001')).toEqual([
      ['cm1', 'user', 'How long does rye dough rest?\nRye 80 percent'],
      ['cm2', 'assistant', 'About twelve hours.'],
    ])
  })

  it.each([
    ['projects', ['Answer in grams.', 'The mill delivers on Mondays.']],
    ['memories', ['**Work context**\nRuns a small bakery.', 'Plans a second oven.']],
  ])('makes facts of %s', async (name, texts) => {
    const { reports, ending } = await importFile(app, await readFixture(`claude-${name}.json`))
    expect(ending.format).toBe('claude')
    const records = await Promise.all(reports.map(({ id }) => read(app, id)))
    expect(records.map(({ payload }) => payload.object)).toEqual(texts)
  })
})

describe('an import of Letta', () => {
  it('keeps messages and blocks, and not the prompt of the agent', async () => {
    const file = await readFixture('letta.af')
    const { reports, ending } = await importFile(app, file)
    expect(ending).toMatchObject({ format: 'letta', summary: { created: 2, invalid: 0 } })
    expect(await listMessages('quartermaster')).toEqual([['message-1', 'user', 'The pump is in bay four.']])
    expect((await read(app, reports[1].id)).payload).toMatchObject({
      subject: 'human',
      object: 'Works at the harbour.',
    })
    const other = file.toString().replaceAll('quartermaster', 'lookout').replace('Works at', 'Watches')
    expect(listLineResults(await importFile(app, other))).toEqual(['1 created', '2 created'])
  })

  it('loses a block that nothing was written to, and refuses nothing', async () => {
    const blocks = ['', ' \n', 'Keeps bees.'].map((value, index) => ({
      id: `b${index}`,
      label: 'human',
      value,
    }))
    const { reports, ending } = await importFile(app, JSON.stringify({ agents: [], blocks }))
    expect(ending.summary).toMatchObject({ created: 1, invalid: 0 })
    expect(reports.map(({ line }) => line)).toEqual([3])
  })

  it('knows a block that no agent has by its label and text', async () => {
    const block = (id: string, value: string) => ({ id, label: 'notes', value })
    const file = JSON.stringify({
      agents: [{ name: 'owner of one', block_ids: ['c'] }],
      blocks: [block('a', 'first'), block('b', 'second'), block('c', 'owned')],
    })
    expect(listLineResults(await importFile(app, file))).toEqual(['2 created', '3 created', '4 created'])
    const again = file.replace('"first"', '"third"').replace('"owned"', '"changed"')
    expect(listLineResults(await importFile(app, again))).toEqual([
      '2 created',
      '3 unchanged',
      '4 conflict record_exists',
    ])
  })
})
