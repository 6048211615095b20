import { afterAll, describe, expect, it } from 'vitest'
import { importFile, listLineResults } from '../../../support/files/foreign-files.ts'
import type { Body } from '../../../support/requests/record-requests.ts'
import { startTestApp } from '../../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const toLines = (values: readonly object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')

async function listSaid(conversation: string): Promise<[string, string, string][]> {
  const { body } = await app.request('GET', `/v1/conversations/${conversation}/messages`)
  return (body as Body).items.map(({ role, content, at }: Body) => [at, role, content])
}

const at = '2026-03-01T22:38:47.557Z'

describe('an import of a session of Claude Code', () => {
  const written = (sessionId: string) => {
    const common = { parentUuid: null, isSidechain: false, userType: 'external', cwd: '/shop', sessionId }
    return (uuid: string, type: string, content: unknown, more: object = {}) => ({
      ...common,
      version: '2.1.63',
      gitBranch: 'main',
      type,
      message: { role: type, content },
      uuid,
      timestamp: at,
      ...more,
    })
  }
  const snapshot = { messageId: 'u1', trackedFileBackups: {}, timestamp: at }
  const say = written('s1')
  const file = toLines([
    { type: 'file-history-snapshot', messageId: 'u1', snapshot, isSnapshotUpdate: false },
    say('u0', 'user', '<local-command-caveat>Caveat: …</local-command-caveat>', { isMeta: true }),
    say('u1', 'user', 'Why is the shop slow?'),
    say('u2', 'assistant', [{ type: 'thinking', thinking: 'I look.', signature: 'x' }]),
    say('u3', 'assistant', [{ type: 'text', text: 'I look at the log.' }]),
    say('u4', 'assistant', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'tail log' } }]),
    say('u5', 'user', [{ type: 'tool_result', tool_use_id: 't', content: 'slow query' }], {
      toolUseResult: { stdout: 'slow query' },
    }),
    say('u6', 'user', 'Look at the index', { isSidechain: true }),
    say('u7', 'user', '<command-name>/fix</command-name>\n<command-args>add an index</command-args>'),
    say('u8', 'user', '<command-name>/clear</command-name>\n<command-args></command-args>'),
    say('u9', 'user', [
      { type: 'text', text: '<system-reminder>Be brief.</system-reminder>' },
      { type: 'text', text: 'And <b>test</b> it.' },
    ]),
    { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', uuid: 'u10' },
    say('u11', 'user', 'This session is being continued …', { isCompactSummary: true }),
    say('u12', 'assistant', [{ type: 'text', text: 'API Error: 529' }], { isApiErrorMessage: true }),
    say('u13', 'assistant', [{ type: 'text', text: 'The index is there.' }], {
      timestamp: '2026-03-01T23:00:00Z',
    }),
    { type: 'summary', summary: 'A slow shop', leafUuid: 'u13' },
  ])

  it('takes linear time for a command whose arguments have no end', async () => {
    const open = `<command-name>/fix</command-name>${'<command-args>'.repeat(100_000)}`
    const { reports } = await importFile(app, toLines([written('open')('u1', 'user', open)]))
    expect(listLineResults({ reports })).toEqual([])
  })

  it('has what the person and the agent said, in its order', async () => {
    const { reports, ending } = await importFile(app, file)
    expect(ending).toMatchObject({ format: 'claude-code', summary: { created: 5, invalid: 0 } })
    expect(reports.map(({ line }) => line)).toEqual([3, 5, 9, 11, 15])
    expect(await listSaid('s1')).toEqual([
      [at, 'user', 'Why is the shop slow?'],
      [at, 'assistant', 'I look at the log.'],
      [at, 'user', 'add an index'],
      [at, 'user', 'And <b>test</b> it.'],
      ['2026-03-01T23:00:00.000Z', 'assistant', 'The index is there.'],
    ])
  })

  it('stores a message once, also if another session continues this one', async () => {
    const continued = written('s2')
    const both = toLines([
      continued('u1', 'user', 'Why is the shop slow?'),
      continued('v1', 'user', 'And now?'),
    ])
    const { reports } = await importFile(app, file + both)
    const again = ['3', '5', '9', '11', '15', '17'].map((line) => `${line} unchanged`)
    expect(listLineResults({ reports })).toEqual([...again, '18 created'])
    expect(await listSaid('s2')).toEqual([[at, 'user', 'And now?']])
  })

  it('has a refused line for one that was not written completely', async () => {
    const { reports } = await importFile(app, `${toLines([written('s3')('w1', 'user', 'Yes.')])}{"type":"us`)
    expect(listLineResults({ reports })).toEqual(['1 created', '2 invalid malformed_json'])
  })
})

describe('an import of a session of Codex', () => {
  const event = (payload: object) => ({ timestamp: at, type: 'event_msg', payload })
  const item = (role: string, type: string, text: string) => ({
    timestamp: at,
    type: 'response_item',
    payload: { type: 'message', role, content: [{ type, text }] },
  })
  const meta = (id: string) => ({
    timestamp: at,
    type: 'session_meta',
    payload: { id, cwd: '/shop', git: {} },
  })
  const lines = [
    meta('c1'),
    meta('c0'),
    item('user', 'input_text', '<environment_context>…</environment_context>'),
    item('user', 'input_text', 'Why is the shop slow?'),
    event({ type: 'user_message', message: '<user_instructions>…', kind: 'user_instructions' }),
    event({ type: 'user_message', message: 'Why is the shop slow?', kind: 'plain' }),
    { timestamp: at, type: 'turn_context', payload: { cwd: '/shop', model: 'gpt-5-codex' } },
    event({ type: 'agent_reasoning', text: '**Looking**' }),
    event({ type: 'agent_message', message: 'The index is missing.' }),
    item('assistant', 'output_text', 'The index is missing.'),
    event({ type: 'token_count', info: null }),
  ]

  it('has what the person and the agent said, each once', async () => {
    const { reports, ending } = await importFile(app, toLines(lines))
    expect(ending).toMatchObject({ format: 'codex', summary: { created: 2, invalid: 0 } })
    expect(reports.map(({ line }) => line)).toEqual([6, 9])
    expect(await listSaid('c1')).toEqual([
      [at, 'user', 'Why is the shop slow?'],
      [at, 'assistant', 'The index is missing.'],
    ])
    const longer = toLines([...lines, event({ type: 'user_message', message: 'Add it.' })])
    expect(listLineResults(await importFile(app, longer))).toEqual([
      '6 unchanged',
      '9 unchanged',
      '12 created',
    ])
  })

  it('has the same messages if the file comes after another one', async () => {
    const started = (id: string, timestamp: string) => ({ ...meta(id), payload: { id, timestamp } })
    const say = (message: string) => event({ type: 'user_message', message })
    const first = [started('d1', '2026-03-01T08:00:00Z'), say('One.')]
    // A fork begins with the line of the former session.
    const second = [started('d2', '2026-03-01T09:00:00Z'), started('d1', '2026-03-01T08:00:00Z'), say('Two.')]
    await importFile(app, toLines(second))
    const joined = await importFile(
      app,
      toLines([started('d0', '2026-02-01T08:00:00Z'), ...first, ...second]),
    )
    expect(listLineResults(joined)).toEqual(['3 created', '6 unchanged'])
    expect(await listSaid('d1')).toEqual([[at, 'user', 'One.']])
    expect(await listSaid('d2')).toEqual([[at, 'user', 'Two.']])
  })

  it('is read in the form of 2025, without a type around each line', async () => {
    const say = (role: string, text: string) => ({
      type: 'message',
      id: null,
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    })
    const file = toLines([
      { id: 'e1', timestamp: '2025-08-01T08:00:00.000Z', instructions: null, git: { branch: 'main' } },
      { record_type: 'state' },
      say('user', '<environment_context>\n<cwd>/shop</cwd>\n</environment_context>'),
      say('user', 'Why is the shop slow?'),
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'I look.' }] },
      { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' },
      { type: 'function_call_output', call_id: 'c', output: 'slow query' },
      { record_type: 'state' },
      say('assistant', 'The index is missing.'),
    ])
    const { reports, ending } = await importFile(app, file)
    expect(ending).toMatchObject({ format: 'codex', summary: { created: 2, invalid: 0 } })
    expect(reports.map(({ line }) => line)).toEqual([4, 9])
    expect(await listSaid('e1')).toEqual([
      ['2025-08-01T08:00:00.000Z', 'user', 'Why is the shop slow?'],
      ['2025-08-01T08:00:00.000Z', 'assistant', 'The index is missing.'],
    ])
  })

  it('is refused where the line with the id of the session is missing', async () => {
    const { reports } = await importFile(app, toLines(lines.slice(5)), { query: '?format=codex' })
    expect(listLineResults({ reports })).toEqual([
      '1 invalid validation_failed',
      '4 invalid validation_failed',
    ])
  })
})
