import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults } from '../../../support/files/foreign-files.ts'
import type { Body } from '../../../support/requests/record-requests.ts'
import { startTestApp } from '../../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const toLines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')

async function listSaid(conversation: string, scope: string) {
  const { body } = await app.request('GET', `/v1/conversations/${conversation}/messages?scope=${scope}`)
  return (body as Body).items.map(({ role, name, content, at }: Body) => [at, role, name, content])
}

async function listTexts(scope: string) {
  const { body } = await app.request('GET', `/v1/records?scope=${scope}&type=semantic&sort=created_at`)
  return (body as Body).items
    .map(({ payload, tags }: Body) => [payload.subject, payload.object, tags])
    .sort(([, one]: string[], [, other]: string[]) => one?.localeCompare(other ?? ''))
}

describe('an import of a session of Zep', () => {
  const at = (second: number) => `2025-04-02T10:00:0${second}.000Z`
  const message = (id: string, second: number, more: object) => ({
    uuid: `7c1f1b7e-3a30-4c8e-9d55-3a1b5a4f2a${id}`,
    created_at: at(second),
    token_count: 0,
    ...more,
  })
  const said = [
    [at(1), 'user', 'Ada', 'I moved to Rome.'],
    [at(2), 'assistant', undefined, 'Noted.'],
  ]
  const version2 = [
    message('01', 0, { role: 'prompt', role_type: 'system', content: 'You are helpful.' }),
    message('02', 1, { role: 'Ada', role_type: 'user', content: 'I moved to Rome.' }),
    message('03', 2, { role: 'assistant', role_type: 'assistant', content: 'Noted.' }),
  ]
  const version3 = [
    message('02', 1, { role: 'user', name: 'Ada', content: 'I moved to Rome.', processed: true }),
    message('03', 2, { role: 'assistant', content: 'Noted.' }),
  ]

  it('has the messages and the facts of version 2', async () => {
    const file = JSON.stringify({
      session_id: 'moving',
      user_id: 'ada',
      messages: version2,
      facts: ['Ada lived in Paris.'],
      relevant_facts: [{ uuid: 'f1', fact: 'Ada lives in Rome.', created_at: at(3) }],
      summary: { content: 'Ada moved.' },
    })
    const imported = await importFile(app, file, { query: '?scope=two' })
    expect(imported.ending).toMatchObject({ format: 'zep', summary: { created: 4, invalid: 0 } })
    expect(imported.reports.map(({ line }) => line)).toEqual([2, 3, 4, 5])
    expect(await listSaid('moving', 'two')).toEqual(said)
    expect(await listTexts('two')).toEqual([
      ['ada', 'Ada lived in Paris.', []],
      ['ada', 'Ada lives in Rome.', []],
    ])
    const again = await importFile(app, file, { query: '?scope=two' })
    expect(again.ending).toMatchObject({ summary: { created: 0, unchanged: 4 } })
  })

  it('is named by its first message if the answer has no id, as in version 3', async () => {
    const file = JSON.stringify({
      messages: version3,
      row_count: 2,
      thread_created_at: at(0),
      user_id: 'ada',
    })
    const { ending } = await importFile(app, file, { query: '?scope=three' })
    expect(ending).toMatchObject({ format: 'zep', summary: { created: 2, invalid: 0 } })
    expect(await listSaid(String(version3[0]?.uuid), 'three')).toEqual(said)
  })

  it('can be one of a list, where a message that cannot be stored affects no other', async () => {
    const broken = message('04', 3, { role: 'user', role_type: 'user', content: 7, uuid: undefined })
    const file = JSON.stringify([
      { thread_id: 't1', messages: [...version2, broken] },
      { thread_id: 't2', messages: [message('05', 4, { role: 'ai', content: 'Hello.' })] },
      'no session',
    ])
    const imported = await importFile(app, file, { query: '?scope=list' })
    expect(imported.ending).toMatchObject({ format: 'zep' })
    expect(listLineResults(imported)).toEqual([
      '1 created',
      '1 created',
      '1 invalid validation_failed',
      '2 created',
      '3 invalid validation_failed',
    ])
    expect(imported.reports[2]?.problem.errors[0].pointer).toBe('/messages/3/uuid')
    expect(await listSaid('t1', 'list')).toEqual(said)
    expect(await listSaid('t2', 'list')).toEqual([[at(4), 'assistant', undefined, 'Hello.']])
  })
})

describe('an import of texts of any program', () => {
  it('stores each line once, with what it is about', async () => {
    const file = toLines([
      { text: 'The staging host is stage-2.', about: 'staging', created_at: '2025-04-01', tags: ['ops'] },
      { id: 7, text: 'Releases go out on Thursdays.', created_at: '2025-04-02', score: 0.4 },
      { text: '' },
    ])
    const query = '?scope=lines'
    const imported = await importFile(app, file, { query, type: 'application/x-ndjson' })
    expect(imported.ending).toMatchObject({ format: 'texts' })
    expect(listLineResults(imported)).toEqual(['1 created', '2 created', '3 invalid validation_failed'])
    expect(await listTexts('lines')).toEqual([
      ['lines', 'Releases go out on Thursdays.', []],
      ['staging', 'The staging host is stage-2.', ['ops']],
    ])
    const asked = { task_descriptor: 'When do releases go out?', scopes: ['lines'], max_tokens: 500 }
    const context = (await app.request('POST', '/v1/context', { body: asked })).body as Body
    expect(context.text).toContain('2025-04-02 Releases go out on Thursdays.')
    const again = await importFile(app, file + toLines(['New.']), { query })
    expect(again.ending).toMatchObject({ summary: { created: 1, unchanged: 2, invalid: 1 } })
  })

  it('stores an array of texts', async () => {
    const imported = await importFile(app, JSON.stringify(['Ada likes tea.', 'Ada lives in Rome.', 7]))
    expect(imported.ending).toMatchObject({ format: 'texts' })
    expect(listLineResults(imported)).toEqual(['1 created', '2 created', '3 invalid validation_failed'])
  })

  it('says how lines of plain text become lines of JSON', async () => {
    const { reports } = await importFile(app, 'Prefers window seats\n"Likes tea"\n', {
      query: '?format=texts',
    })
    expect(reports[0].problem).toMatchObject({
      code: 'malformed_json',
      detail: 'The line is not JSON in UTF-8. `jq -R . FILE` writes each line of a plain text as JSON.',
    })
    expect(reports[1]).toMatchObject({ line: 2, status: 'created' })
  })

  it('is no import of messages, which have no ids', async () => {
    for (const member of ['text', 'content']) {
      const file = JSON.stringify([{ role: 'user', [member]: 'I like tea.' }])
      expect((await importFile(app, file)).status).toBe(415)
    }
  })

  it('looks at a long beginning in linear time', async () => {
    const file = `{${'"role" "text" '.repeat(10_000)}`
    expect((await importFile(app, file)).status).toBe(415)
  })
})
