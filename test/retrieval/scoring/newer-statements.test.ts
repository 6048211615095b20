import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create } from '../../support/requests/record-requests.ts'
import { buildService, buildStatement, retrieve } from '../../support/requests/retrieval-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const day = 86_400_000

describe('a newer statement', () => {
  it('names the older statement whose score a newer one took, also where a limit cuts it off', async () => {
    const scope = 'raised'
    const older = await create(
      app,
      buildStatement('The bundle limit of the old console is 300 kB.', { scope, salience: 1 }),
    )
    app.clock.advance(day)
    const newer = await create(
      app,
      buildStatement('The bundle limit of the console is said to be 250 kB.', { scope, salience: 0.1 }),
    )
    const question = { task_descriptor: 'What is the bundle limit?', scopes: [scope], explain: true }
    const { nodes } = await retrieve(app, question)
    expect(nodes.map(({ record }: Body) => record.id)).toEqual([newer.id, older.id])
    expect(nodes.map(({ signals }: Body) => signals.raised_by)).toEqual([older.id, undefined])
    const cut = await retrieve(app, { ...question, root_limit: 1 })
    expect(cut.nodes.map(({ signals }: Body) => signals.raised_by)).toEqual([older.id])
  })

  it('takes no score of a statement that shares only the name of its speaker with the question', async () => {
    const scope = 'answers'
    const exchange = (at: string, asked: string) => [
      { role: 'user', name: 'Bo', at, content: asked },
      { role: 'user', name: 'Ada', at, content: 'Yes, sure.' },
    ]
    const messages = [
      ...exchange('2026-01-05T09:00:00Z', 'Is the harbour far?'),
      ...exchange('2026-01-09T09:00:00Z', 'Tea or coffee?'),
    ]
    const body = { scope, messages }
    const stored = await app.request('POST', '/v1/conversations/answers/messages', { body })
    const [, older, , newer] = (stored.body as Body).items.map((item: Body) => item.record_id)
    const question = { task_descriptor: 'Is Ada at the harbour?', scopes: [scope], explain: true }
    const { nodes } = await retrieve(app, question)
    const found = nodes.map(({ record }: Body) => record.id)
    expect(found.indexOf(newer)).toBeGreaterThan(found.indexOf(older))
    expect(nodes.flatMap(({ signals }: Body) => signals.raised_by ?? [])).toEqual([])
  })

  it('compares no entity with a statement', async () => {
    const scope = 'named'
    const older = await create(app, buildStatement('heron billing ledger', { scope }))
    app.clock.advance(day)
    await create(app, buildService('Heron billing ledger project states', { scope }))
    const question = { task_descriptor: 'heron', scopes: [scope], explain: true, max_hops: 0 }
    const { nodes } = await retrieve(app, question)
    expect(nodes.map(({ record }: Body) => record.id)).toContain(older.id)
    expect(nodes.flatMap(({ signals }: Body) => signals.raised_by ?? [])).toEqual([])
  })
})
