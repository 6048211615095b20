import { afterAll, expect, it } from 'vitest'
import { type Permission, permissions } from '../../src/domain/trust/caller.ts'
import { callTool, connectClient, connectEarlierClient, failTool } from '../support/http/mcp-clients.ts'
import { type Body, create, fact, payloads, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'
import { noIntervals } from '../support/workers/idle-jobs.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const app = await startTestApp()
afterAll(() => app.close())

const profile = 'lifecycle,openai'
const offered = {
  'records:read': ['recall', 'get', 'explain', 'recent', 'search', 'fetch'],
  'records:write': ['remember', 'revise', 'forget'],
  'lifecycle:write': ['reinforce', 'promote', 'demote', 'pin', 'unpin', 'restore'],
  'maintenance:run': ['run'],
} as const

it('offers each key the tools of its permissions, and an admin all', async () => {
  const all = Object.values(offered).flat()
  for (const permission of permissions) {
    const client = await connectClient(app, { key: await app.issueKey([permission]), profile })
    const { tools } = await client.listTools()
    const expected: readonly string[] = permission === 'admin' ? all : offered[permission]
    expect(tools.map(({ name }) => name).sort()).toEqual([...expected].sort())
    const reads = permission === 'records:read' || permission === 'admin'
    expect(client.getServerCapabilities()?.resources !== undefined).toBe(reads)
  }
})

it('does nothing when a tool is called that is not offered', async () => {
  const record = await create(app, fact())
  const key = await app.issueKey(['records:read'])
  const reason = { id: record.id, reason: 'trying' }
  for (const connect of [connectClient, connectEarlierClient]) {
    const client = await connect(app, { key, profile })
    const attempts: [string, Record<string, unknown>][] = [
      ['forget', reason],
      ['pin', reason],
      ['revise', { ...reason, op: 'retract' }],
      ['remember', { text: 'not mine to say' }],
      ['run', { job: 'decay' }],
    ]
    for (const [name, args] of attempts)
      await expect(client.callTool({ name, arguments: args })).rejects.toMatchObject({ code: -32_602 })
    const withoutProfile = await connect(app)
    await expect(withoutProfile.callTool({ name: 'pin', arguments: reason })).rejects.toMatchObject({
      code: -32_602,
    })
  }
  expect(await read(app, record.id)).toEqual(record)
  const { items } = (await app.request('GET', '/v1/records?q=%22not+mine%22')).body as Body
  expect(items).toEqual([])
})

it('hides, redacts and refuses as HTTP does', async () => {
  const scope = 'trusted'
  const of = (sensitivity: string) =>
    create(
      app,
      fact({
        scope,
        sensitivity,
        payload: { kind: 'semantic', subject: 'vault', predicate: 'is', object: sensitivity },
      }),
    )
  const low = await of('low')
  const medium = await of('medium')
  const high = await of('high')
  const key = await app.issueKey(
    [...permissions].filter((each) => each !== 'admin'),
    { scopes: [scope], max_sensitivity: 'low' },
  )
  const client = await connectClient(app, { key, profile })
  expect((await callTool(client, 'get', { id: low.id })).record).toMatchObject({
    id: low.id,
    payload: low.payload,
  })
  expect((await callTool(client, 'get', { id: medium.id })).record).toMatchObject({ redacted: true })
  const codeOf = async (name: string, args: Record<string, unknown>) =>
    (await failTool(client, name, args)).code
  expect(await codeOf('get', { id: high.id })).toBe('record_not_found')
  expect(await codeOf('get', { id: medium.id, with_history: true })).toBe('above_ceiling')
  expect(await codeOf('explain', { id: high.id })).toBe('record_not_found')
  expect(await codeOf('fetch', { id: high.id })).toBe('record_not_found')
  expect(await codeOf('fetch', { id: medium.id })).toBe('above_ceiling')
  expect(await codeOf('revise', { id: medium.id, op: 'supersede', text: 'x', reason: 'y' })).toBe(
    'above_ceiling',
  )
  expect(await codeOf('pin', { id: high.id, reason: 'y' })).toBe('record_not_found')
  expect(await failTool(client, 'remember', { text: 'x', scope: 'other' })).toMatchObject({
    code: 'outside_trust',
    what: expect.stringContaining(`only to "${scope}"`),
  })
  expect(await codeOf('remember', { text: 'x', sensitivity: 'high' })).toBe('outside_trust')
  const shown = JSON.stringify([
    await client.callTool({ name: 'recall', arguments: { query: 'vault' } }),
    await client.callTool({ name: 'recent', arguments: {} }),
    await client.callTool({ name: 'search', arguments: { query: 'vault' } }),
    await callTool(client, 'explain', { id: low.id, query: 'vault' }),
  ])
  expect(shown).toContain(low.id)
  expect(shown).not.toContain(medium.id)
  expect(shown).not.toContain(high.id)
})

it('tends a record: layers, pins, forgetting and its restoration', async () => {
  const { id } = await create(app, fact({ scope: 'tended' }))
  const client = await connectClient(app, { profile: 'lifecycle', name: 'gardener' })
  const call = async (name: string, more = {}) =>
    (await callTool(client, name, { id, reason: `${name} it`, ...more })).record
  expect((await call('demote')).layer).toBe('episodic')
  expect((await call('promote', { layer: 'semantic' })).layer).toBe('semantic')
  expect((await call('pin')).lifecycle.pinned).toBe(true)
  expect(await failTool(client, 'forget', { id, reason: 'no' })).toMatchObject({ code: 'record_pinned' })
  expect((await call('unpin')).lifecycle.pinned).toBe(false)
  expect((await call('forget')).forgotten).toMatchObject({ actor: 'root/gardener' })
  const restored = await call('restore')
  expect(restored.forgotten).toBeUndefined()
  const { audit_log: log } = await read(app, id)
  expect(log.at(-1)).toMatchObject({ actor: 'root/gardener', rationale: 'restore it' })
})

it('queues a job as a dry run unless it is told otherwise', async () => {
  const client = await connectClient(app, { profile: 'lifecycle' })
  expect((await callTool(client, 'run', { job: 'decay' })).run).toMatchObject({ job: 'decay', dry_run: true })
  const { run } = await callTool(client, 'run', { job: 'decay', dry_run: false, scope: 'tended' })
  expect(run).toMatchObject({ dry_run: false, scope: 'tended', status: 'queued' })
  expect((await failTool(client, 'run', { job: 'nothing' })).what).toContain('/job')
  expect((await failTool(client, 'run', {})).what).toContain('/job is required')
})

it('says how a run went and what it changed, to a key that may read', async () => {
  const scope = 'fading'
  for (let n = 0; n < 21; n++) await create(app, fact({ scope, salience: 0.0001 }))
  const key = await app.issueKey(['maintenance:run', 'records:read'], { scopes: [scope] })
  const client = await connectClient(app, { key, profile: 'lifecycle' })
  const { id } = (await callTool(client, 'run', { job: 'decay', scope })).run
  await createWorkerFor(app, noIntervals).runJob('decay', new AbortController().signal)
  const { run, changes, has_more_changes } = await callTool(client, 'run', { id })
  expect(run).toMatchObject({ id, status: 'succeeded', dry_run: true })
  expect(changes).toHaveLength(20)
  const text = expect.stringContaining(payloads.semantic.object)
  expect(changes[0]).toMatchObject({ action: 'prune', record_id: expect.any(String), text })
  expect(has_more_changes).toBe(true)
  expect((await failTool(client, 'run', { id, scope })).what).toContain('/scope cannot be given')
  const code = async (granted: Permission[], scopes: string[]) => {
    const other = await app.issueKey(granted, { scopes })
    return (await failTool(await connectClient(app, { key: other, profile: 'lifecycle' }), 'run', { id }))
      .code
  }
  expect(await code(['maintenance:run'], [scope])).toBe('forbidden')
  expect(await code(['maintenance:run', 'records:read'], ['other'])).toBe('run_not_found')
})

it('answers search and fetch with one text of JSON', async () => {
  const { id } = await create(
    app,
    fact({
      scope: 'sought',
      payload: { kind: 'semantic', subject: 'kettle', predicate: 'note', object: 'boils in two minutes' },
    }),
  )
  for (const connect of [connectClient, connectEarlierClient]) {
    const client = await connect(app, { profile: 'openai' })
    const read = async (name: string, args: Record<string, unknown>) => {
      const result = (await client.callTool({ name, arguments: args })) as Body
      expect(result.structuredContent).toBeUndefined()
      expect(result.content).toHaveLength(1)
      return JSON.parse(result.content[0].text)
    }
    const url = `${app.url}/v1/records/${id}`
    const { results } = await read('search', { query: 'kettle' })
    expect(results).toEqual([{ id, title: expect.stringContaining('kettle'), url }])
    expect(await read('fetch', { id })).toMatchObject({
      id,
      url,
      title: expect.any(String),
      text: expect.stringContaining('boils'),
      metadata: { type: 'semantic' },
    })
  }
})
