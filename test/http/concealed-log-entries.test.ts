import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Body, create, fact } from '../support/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

const secretWriter = 'writer-of-the-hidden'

let app: TestApp
let key: string
beforeAll(async () => {
  app = await startTestApp()
  key = await app.issueKey(['records:read'], { scopes: ['mine'], max_sensitivity: 'low' })
})
afterAll(() => app.close())

const send = (path: string, body: object) => app.request('POST', path, { body })

describe('the audit entry of an edge between records of different trust', () => {
  it('is in the log of one end and names the other only to keys that see it', async () => {
    const far = await create(app, fact({ sensitivity: 'high' }))
    const near = await create(app, fact({ scope: 'mine', sensitivity: 'low' }))
    const other = await create(app, fact({ scope: 'theirs', sensitivity: 'low' }))
    for (const target of [near, other]) {
      const edge = { predicate: 'contradicts', target_id: target.id, actor: secretWriter }
      await send(`/v1/records/${far.id}/relations`, edge)
    }
    await send(`/v1/records/${other.id}/relations`, { predicate: 'supports', target_id: near.id })
    const changesOf = async ({ id }: Body, options: object = {}) =>
      ((await app.request('GET', `/v1/records/${id}/audit`, options)).body as Body).items.map((each: Body) =>
        Object.keys(each.changes ?? {}),
      )
    expect(await changesOf(far)).toEqual([
      [],
      [`relations.contradicts.${near.id}`],
      [`relations.contradicts.${other.id}`],
    ])
    expect(await changesOf(near)).toEqual([[], [`incoming_relations.supports.${other.id}`]])
    expect(await changesOf(near, { key })).toEqual([[]])
  })
})

describe('the status change that a hidden record caused', () => {
  it('is shown without its actor and reason', async () => {
    const low = await create(app, fact({ scope: 'mine', sensitivity: 'low' }))
    const record = fact({
      scope: 'mine',
      sensitivity: 'hyper',
      provenance: { sources: [{ kind: 'event', ref: 'r' }] },
    })
    const reason = { actor: secretWriter, rationale: 'the secret reason' }
    expect((await send(`/v1/records/${low.id}/supersede`, { ...reason, record })).status).toBe(201)
    const path = `/v1/records/${low.id}/status-history`
    const moveOf = async (options: object) =>
      ((await app.request('GET', path, options)).body as Body).items[0]
    const { changed_at, ...seen } = await moveOf({ key })
    expect(seen).toEqual({ old: 'active', new: 'superseded', step: 'supersede', actor: 'hidden', reason: '' })
    expect(await moveOf({})).toMatchObject({ actor: secretWriter, reason: 'the secret reason', changed_at })
  })
})
