import Anthropic from '@anthropic-ai/sdk'
import { betaMemoryTool, type MemoryToolHandlers } from '@anthropic-ai/sdk/helpers/beta/memory'
import { afterAll, describe, expect, it } from 'vitest'
import { createWorkerFor } from '../../../test/support/workers/worker-setup.ts'
import { createMemoryTool } from '../src/anthropic.ts'
import { startService } from './support/service.ts'

const service = await startService()
afterAll(() => service.close())

let made = 0
/** The tool in a scope of its own. */
const createTool = () => createMemoryTool(service.client, { scope: `tool-${made++}` })

describe('a file', () => {
  it('is the newest revision of a fact: an edit supersedes, a deletion retracts', async () => {
    const scope = `tool-${made++}`
    const { client } = service
    const tool = createMemoryTool(client, { scope, actor: 'planner', sensitivity: 'medium' })
    await tool.create({ path: '/memories/plan.md', file_text: 'draft' })
    await tool.str_replace({ path: '/memories/plan.md', old_str: 'draft', new_str: 'final' })
    await tool.rename({ old_path: '/memories/plan.md', new_path: '/memories/done/plan.md' })
    const { items } = await client.listRecords({ query: { scope } })
    expect(items).toHaveLength(3)
    expect(items.map((each) => 'status' in each && each.status).sort()).toEqual([
      'active',
      'superseded',
      'superseded',
    ])
    const [live] = (await client.listRecords({ query: { scope, status: 'active' } })).items
    expect(live).toMatchObject({
      sensitivity: 'medium',
      source_type: 'ai',
      salience: 1,
      payload: { subject: '/memories/done/plan.md', predicate: 'contains', object: 'final' },
      tags: ['/memories/done/plan.md', '/memories/', '/memories/done/'],
    })
    const id = live?.id ?? ''
    const { nodes } = await client.getLineage({ path: { id } })
    expect(nodes).toHaveLength(3)
    await tool.delete({ path: '/memories/done' })
    expect(await client.getRecord({ path: { id } })).toMatchObject({ status: 'invalidated' })
    const log = await client.listAuditEntries({ path: { id } })
    expect(log.items.at(-1)).toMatchObject({ actor: 'planner', rationale: 'deleted' })
    expect(await tool.view({ path: '/memories' })).toMatch(/\n0B\t\/memories$/)
  })

  it('is named by a path: a call of the model without one is refused in words', async () => {
    const call = createTool().view({ command: 'view' } as Parameters<MemoryToolHandlers['view']>[0])
    await expect(call).rejects.toThrow('Path must start with /memories, got: undefined')
  })

  it('can be created again and again after it was deleted', async () => {
    const tool = createTool()
    const path = '/memories/progress.md'
    for (let round = 0; round < 4; round++) {
      await tool.create({ path, file_text: `round ${round}` })
      expect(await tool.view({ path })).toContain(`round ${round}`)
      await tool.delete({ path })
    }
  })

  it('is found by what it says, and stays while facts fade', async () => {
    const scope = `tool-${made++}`
    const tool = createMemoryTool(service.client, { scope })
    await tool.create({ path: '/memories/travel.md', file_text: 'The ferry to Gotland leaves at seven.' })
    const found = await service.client.retrieve({ body: { task_descriptor: 'ferry', scopes: [scope] } })
    expect(found.nodes).toMatchObject([{ record: { payload: { subject: '/memories/travel.md' } } }])
    service.clock.advance(400 * 86_400_000)
    await createWorkerFor(service).runJob('decay', new AbortController().signal)
    expect(await tool.view({ path: '/memories/travel.md' })).toContain('ferry')
  })

  it('is still one after somebody has doubted it', async () => {
    const scope = `tool-${made++}`
    const tool = createMemoryTool(service.client, { scope })
    await tool.create({ path: '/memories/a', file_text: 'doubtful' })
    const [record] = (await service.client.listRecords({ query: { scope } })).items
    const path = { id: record?.id ?? '' }
    await service.client.setStatus({ path, body: { actor: 'a test', reason: 'doubt', status: 'challenged' } })
    expect(await tool.view({ path: '/memories/a' })).toContain('doubtful')
    await expect(tool.create({ path: '/memories/a', file_text: '' })).rejects.toThrow('already exists')
  })
})

describe('records of others in the scope', () => {
  it('are no files, whatever their tags say', async () => {
    const scope = `tool-${made++}`
    const tool = createMemoryTool(service.client, { scope })
    const path = '/memories/real'
    await tool.create({ path, file_text: 'real' })
    const payload = { kind: 'semantic', subject: path, predicate: 'contains', object: 'planted' } as const
    const tags = [path, '/memories/']
    const planted = await service.client.createRecord({ body: { type: 'semantic', scope, tags, payload } })
    expect(await tool.view({ path })).toContain('real')
    await tool.insert({ path, insert_line: 0, insert_text: 'still' })
    await tool.delete({ path })
    await expect(tool.view({ path })).rejects.toThrow('does not exist')
    await tool.create({ path, file_text: 'new' })
    expect(await service.client.getRecord({ path: { id: planted.id } })).toMatchObject({ version: 1 })
  })

  it('that were files and are forgotten do not keep their path', async () => {
    const scope = `tool-${made++}`
    const tool = createMemoryTool(service.client, { scope })
    const path = '/memories/a'
    await tool.create({ path, file_text: 'old' })
    const [record] = (await service.client.listRecords({ query: { scope } })).items
    const query = { actor: 'a test', rationale: 'not needed' }
    await service.client.deleteRecord({ path: { id: record?.id ?? '' }, query })
    await expect(tool.view({ path })).rejects.toThrow('does not exist')
    await tool.create({ path, file_text: 'new' })
    expect(await tool.view({ path })).toContain('new')
  })
})

describe('racing commands', () => {
  const outcomes = async (commands: Promise<string>[]) => {
    const settled = await Promise.allSettled(commands)
    return settled.map((each) => (each.status === 'fulfilled' ? 'done' : String(each.reason.message)))
  }

  it('lose no edit: each is either in the file or refused', async () => {
    const tool = createTool()
    const path = '/memories/shared.md'
    await tool.create({ path, file_text: 'end' })
    const insert = (insert_text: string) => tool.insert({ path, insert_line: 0, insert_text })
    const lines = Array.from({ length: 8 }, (_, nth) => `line ${nth}`)
    const results = await outcomes(lines.map(insert))
    const text = await tool.view({ path })
    expect(results).toContain('done')
    for (const [nth, result] of results.entries()) {
      if (result !== 'done') expect(result).toMatch(/^The file \/memories\/shared.md was changed or deleted/)
      expect(text.includes(`line ${nth}`)).toBe(result === 'done')
    }
  })

  it('create a path once, also after it was deleted', async () => {
    const tool = createTool()
    const path = '/memories/new.md'
    for (let round = 0; round < 2; round++) {
      const create = (_: unknown, nth: number) => tool.create({ path, file_text: `writer ${nth}` })
      const results = await outcomes(Array.from({ length: 5 }, create))
      const winner = results.indexOf('done')
      expect(results.filter((result) => result !== 'done')).toEqual(
        Array(4).fill('File /memories/new.md already exists'),
      )
      expect(await tool.view({ path })).toContain(`writer ${winner}`)
      await tool.delete({ path })
      await expect(tool.view({ path })).rejects.toThrow('does not exist')
    }
  })

  it('give one destination to one file', async () => {
    const tool = createTool()
    const sources = ['/memories/a', '/memories/b', '/memories/c']
    for (const path of sources) await tool.create({ path, file_text: path })
    const new_path = '/memories/target'
    const results = await outcomes(sources.map((old_path) => tool.rename({ old_path, new_path })))
    expect(results.filter((result) => result === 'done')).toHaveLength(1)
    for (const [nth, path] of sources.entries()) {
      const seen = await tool.view({ path: results[nth] === 'done' ? new_path : path })
      expect(seen).toContain(path)
    }
  })
})

describe('an agent of the package', () => {
  it('uses the tool through the runner, and reads its refusals', async () => {
    const scope = `tool-${made++}`
    const handlers: MemoryToolHandlers = createMemoryTool(service.client, { scope })
    const path = '/memories/notes.md'
    const calls = [
      { command: 'create', path, file_text: 'Ada prefers tea.' },
      { command: 'create', path, file_text: 'again' },
      { command: 'view', path },
    ]
    const { fetch, requests } = createFakeModel(calls)
    const anthropic = new Anthropic({ apiKey: 'none', fetch })
    const runner = anthropic.beta.messages.toolRunner({
      model: 'a-model',
      max_tokens: 100,
      tools: [betaMemoryTool(handlers)],
      messages: [{ role: 'user', content: 'Remember what I drink.' }],
    })
    expect(await runner).toMatchObject({ content: [{ type: 'text', text: 'done' }] })
    expect(requests[0]?.tools).toEqual([{ type: 'memory_20250818', name: 'memory' }])
    const results = requests.slice(1).map(({ messages }) => messages.at(-1)?.content[0])
    expect(results).toMatchObject([
      { content: `File created successfully at: ${path}` },
      { content: `Error: File ${path} already exists`, is_error: true },
      { content: `Here's the content of ${path} with line numbers:\n     1\tAda prefers tea.` },
    ])
  })
})

type ModelRequest = { tools: unknown[]; messages: { content: unknown[] }[] }

/** A model that asks for one call of the tool after the other. Only the model is not real. */
function createFakeModel(calls: readonly object[]) {
  const requests: ModelRequest[] = []
  const answer: typeof fetch = async (_, init) => {
    requests.push(JSON.parse(String(init?.body)))
    const input = calls[requests.length - 1]
    const content = input
      ? [{ type: 'tool_use', id: `call-${requests.length}`, name: 'memory', input }]
      : [{ type: 'text', text: 'done' }]
    return Response.json({
      id: 'message',
      type: 'message',
      role: 'assistant',
      model: 'fake',
      content,
      stop_reason: input ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    })
  }
  return { fetch: answer, requests }
}
