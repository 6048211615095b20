import { afterAll, describe, expect, it } from 'vitest'
import {
  askContext,
  idsOf,
  skill,
  storeMessages,
  task,
} from '../../support/requests/prompt-context-requests.ts'
import { create } from '../../support/requests/record-requests.ts'
import { buildService, buildStatement, link } from '../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'k'.repeat(32) } })
afterAll(() => app.close())

describe('a context for a limited key', () => {
  it('is the same whether or not hidden records exist', async () => {
    const scope = 'mine'
    const key = await app.issueKey(['records:read'], { scopes: [scope], max_sensitivity: 'low' })
    const open = { scope, sensitivity: 'low' }
    const orion = await create(app, buildService('Orion', open))
    const fact = await create(app, buildStatement('Orion runs in Dublin', open))
    await create(app, skill('run Orion', open))
    await create(app, task('run Orion', open))
    await storeMessages(app, scope, ['where does Orion run', 'good question', 'I agree'])
    const requests = [
      { task_descriptor: 'where does Orion run' },
      { task_descriptor: 'Orion', format: 'json', max_tokens: 200 },
      {
        task_descriptor: 'Orion',
        max_hops: 2,
        scopes: [scope, 'theirs'],
        trust: { max_sensitivity: 'hyper' },
      },
    ]
    const askAll = () =>
      Promise.all(requests.map((each) => askContext(app, scope, { record_access: false, ...each }, key)))
    const before = await askAll()
    for (const hidden of [
      { scope, sensitivity: 'hyper' },
      { scope: 'theirs', sensitivity: 'low' },
    ]) {
      const about = { subject: orion.id, predicate: 'profile', object: 'secret profile' }
      await create(app, { type: 'semantic', payload: { kind: 'semantic', ...about }, ...hidden })
      await create(app, buildService('Orion', hidden))
      await create(app, skill('secret run Orion', hidden))
      await create(app, task('secret run Orion', hidden))
      const other = await create(app, buildStatement('Orion runs in secret', hidden))
      await link(app, other.id, 'contradicts', fact.id)
      await create(app, buildStatement('Orion walks in secret', hidden))
    }
    await storeMessages(app, scope, ['secret Orion run'], {
      sensitivity: 'hyper',
      messages: [{ id: 'hidden', role: 'user', content: 'secret Orion run', at: '2025-06-01T08:00:30Z' }],
    })
    expect(await askAll()).toEqual(before)
    expect(JSON.stringify(before)).not.toContain('secret')
  })

  it('does not mention a record one level above the key that an edge leads to', async () => {
    const scope = 'veiled'
    const key = await app.issueKey(['records:read'], { scopes: [scope], max_sensitivity: 'low' })
    const near = await create(app, buildStatement('the eagle', { scope, sensitivity: 'low' }))
    const veiled = await create(app, buildStatement('veiled words', { scope, sensitivity: 'medium' }))
    await link(app, near.id, 'supports', veiled.id)
    const { text, items, omitted } = await askContext(
      app,
      scope,
      { task_descriptor: 'eagle', max_hops: 1 },
      key,
    )
    expect(idsOf(items)).toEqual([near.id])
    expect(omitted).toEqual([])
    expect(text).not.toContain('veiled')
  })

  it('keeps nothing of a message that was erased', async () => {
    const [, erased = ''] = await storeMessages(app, 'erased', [
      'the stork came',
      'a private word',
      'the stork went',
    ])
    const body = { actor: 'ada', rationale: 'asked to' }
    await app.request('POST', `/v1/records/${erased}/erase`, { body })
    const { text, omitted } = await askContext(app, 'erased', { task_descriptor: 'stork' })
    expect([text.includes('stork'), text.includes('private'), omitted]).toEqual([true, false, []])
  })
})
