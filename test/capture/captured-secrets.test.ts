import { afterAll, describe, expect, it } from 'vitest'
import { capture, captureFact, triple } from '../support/requests/capture-requests.ts'
import { consolidate } from '../support/requests/consolidation-requests.ts'
import { type Body, read } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const secret = 'hunter22-Xq'

async function listAll(scope: string): Promise<Body[]> {
  const { body } = await app.request('GET', `/v1/records?scope=${scope}&limit=100`)
  return (body as Body).items
}

describe('a secret in a capture', () => {
  it('stays in its episode and is masked in everything derived from the episode', async () => {
    const scope = 'secrets'
    const graph = ['login', 'query', 'logout'].map((tool, place) => ({
      id: `n${place}`,
      tool,
      args: { nested: { password: secret }, note: `password=${secret}` },
      result: JSON.stringify({ token: secret }),
      depends_on: place === 0 ? [] : [`n${place - 1}`],
    }))
    for (const ref of ['first', 'second']) {
      const content = {
        ref,
        event_kind: 'audit',
        outcome: 'success',
        tool_graph: graph,
        at: ref,
        ...triple(`password=${secret}`, { user: `ada token=${secret}`, request: { token: secret } }),
      }
      await capture(app, content, { scope, tags: [`password=${secret}`], source_kind: 'observation' })
    }
    const task = { thread_id: 't', next_actions: [`log in with password=${secret}`], api_key: secret }
    await capture(app, task, { scope, source_kind: 'working_state' })
    await consolidate(app)
    const records = await listAll(scope)
    const types = new Set(records.map(({ type }) => type))
    expect([...types].sort()).toEqual([
      'competence',
      'entity',
      'episodic',
      'plan_graph',
      'semantic',
      'working',
    ])
    for (const { id, type } of records) {
      const whole = await read(app, id)
      if (type === 'episodic') {
        expect(JSON.stringify(whole.payload)).toContain(secret)
        expect(JSON.stringify(whole.interpretation.summary)).not.toContain(secret)
      } else {
        expect([type, JSON.stringify(whole).includes(secret)]).toEqual([type, false])
      }
    }
  })

  it('is not found by text search, nor are the arguments of a tool call', async () => {
    const content = {
      tool_name: 'psql',
      args: { query: 'select zebrafish' },
      result: { rows: 'quagga', token: 'okapi77' },
      more: { arguments: ['zebrafish'], password: 'okapi77' },
    }
    await capture(app, content, {
      scope: 'search',
      source_kind: 'tool_output',
      context: { note: 'pwd=okapi77' },
    })
    const found = async (word: string) =>
      ((await app.request('GET', `/v1/records?scope=search&q=${word}`)).body as Body).items.length
    expect([await found('quagga'), await found('zebrafish'), await found('okapi77')]).toEqual([1, 0, 0])
  })
})

describe('consolidation of an episode without a summary', () => {
  it('learns no fact from raw text alone', async () => {
    const scope = 'silent'
    for (const ref of ['a', 'b']) {
      await capture(app, { ref, outcome: 'success', text: 'raw words', at: ref, n: 7 }, { scope })
    }
    await consolidate(app)
    expect((await listAll(scope)).map(({ type }) => type)).toEqual(['episodic', 'episodic'])
  })

  it('confirms one fact when the same event repeats with another time and reference', async () => {
    const scope = 'again'
    for (const ref of ['a', 'b']) {
      const content = { ref, event_kind: 'deploy', subject: 'api', outcome: 'success', at: ref }
      await capture(app, content, { scope, timestamp: `2026-01-0${ref === 'a' ? 1 : 2}T00:00:00Z` })
    }
    await consolidate(app)
    const facts = (await listAll(scope)).filter(({ type }) => type === 'semantic')
    expect(facts.map(({ payload }) => payload.object)).toEqual(['Deploy: api, outcome success.'])
    expect(facts[0]?.payload.evidence).toHaveLength(2)
  })
})

describe('a capture of higher sensitivity or of another scope', () => {
  const higher: [string, object][] = [
    ['of higher sensitivity', { sensitivity: 'hyper', scope: 'levels' }],
    ['of another scope', { scope: 'other' }],
  ]
  it.each(higher)('%s does not change a fact of lower sensitivity', async (name, more) => {
    const lower = name === 'of another scope' ? {} : { scope: 'levels' }
    const subject = `subject ${name}`
    const buildContent = (object: string, policy: string) => ({
      ...triple(object),
      subject,
      revision_policy: policy,
    })
    const { fact } = await captureFact(app, buildContent('linux', 'replace'), lower)
    const before = await read(app, fact.record_id)
    const same = await captureFact(app, buildContent('linux', 'replace'), more)
    expect(same.fact).toEqual({ outcome: 'created', record_id: expect.any(String), other_id: fact.record_id })
    const another = await captureFact(app, { ...buildContent('windows', 'replace'), user: 'Ada' }, more)
    expect(another.fact.other_id).toBe(same.fact.record_id)
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'low' })
    const after = await read(app, fact.record_id, { key })
    expect({ ...after, relations: [] }).toEqual({ ...before, relations: [] })
    if (name === 'more sensitive') expect(after).toEqual(before)
  })

  it('does not change an entity of lower sensitivity', async () => {
    const scope = 'names'
    const { created_records: records } = await capture(app, { user: 'Grace' }, { scope })
    const entity = records.find(({ type }: Body) => type === 'entity') as Body
    const before = await read(app, entity['id'])
    await capture(app, { user: 'Grace', agent: 'Grace' }, { scope, sensitivity: 'hyper' })
    const key = await app.issueKey(['records:read'], { max_sensitivity: 'low' })
    expect(await read(app, entity['id'], { key })).toEqual(before)
  })
})
