import { afterAll, describe, expect, it } from 'vitest'
import type { Body } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const fact = { subject: 'harbour of Hvar', predicate: 'berth fee', object: '40 euro a night' }

async function capture(scope: string, content: object | string, summary?: string): Promise<Body> {
  const body = { source: 'agent', source_kind: 'observation', content, scope, summary }
  return (await app.request('POST', '/v1/capture', { body })).body as Body
}

async function ask(scope: string): Promise<Body[]> {
  const question = { task_descriptor: 'What is the berth fee at the harbour of Hvar?', scopes: [scope] }
  const { body } = await app.request('POST', '/v1/retrieve', {
    body: { ...question, explain: true, max_hops: 0 },
  })
  return (body as Body).nodes.filter(({ record }: Body) => record.type !== 'entity')
}

describe('the evidence of a fact', () => {
  it('counts half if it states nothing but the fact', async () => {
    const { primary_record: evidence } = await capture('only', fact)
    const nodes = await ask('only')
    expect(nodes.map(({ record }) => record.type)).toEqual(['semantic', 'episodic'])
    expect(nodes.map(({ signals }) => signals.evidence_factor)).toEqual([1, 0.5])
    expect(nodes[1]?.record.id).toBe(evidence.id)
  })

  it('counts in full if it states more, or no fact', async () => {
    await capture('more', { ...fact, note: 'paid in cash at the berth' })
    await capture('more', 'The berth fee at the harbour went up.')
    const factors = (await ask('more')).map(({ signals }) => signals.evidence_factor)
    expect(factors).toEqual([1, 1, 1])
  })

  it('counts in full if its summary says more', async () => {
    const summary = `The harbour master of Hvar raised the berth fee. ${'He takes no cards. '.repeat(5)}`
    await capture('summary', fact, summary)
    const factors = (await ask('summary')).map(({ signals }) => signals.evidence_factor)
    expect(factors).toEqual([1, 1])
  })

  it('counts in full if its timeline says more', async () => {
    const timeline = [
      { t: '2026-03-01T09:30:00Z', event_kind: 'call', ref: 'a', summary: 'The harbour was full.' },
    ]
    await capture('timeline', { ...fact, timeline })
    const factors = (await ask('timeline')).map(({ signals }) => signals.evidence_factor)
    expect(factors).toEqual([1, 1])
  })
})
