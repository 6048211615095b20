import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, fact, payloads } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the receipts' } })
const key = await app.issueKey(['lifecycle:write'], { scopes: ['mine'], max_sensitivity: 'low' })
afterAll(() => app.close())

const say = (words: string, more: object = {}) =>
  create(app, fact({ payload: { ...payloads.semantic, object: words }, scope: 'mine', ...more }))
const send = (path: string, body: object) => app.request('POST', `/v1/records/${path}`, { body })
const erase = async (id: string, options: object = {}): Promise<Body> =>
  (
    await app.request('POST', `/v1/records/${id}/erase`, {
      body: { actor: 'desk', rationale: 'request 4711' },
      ...options,
    })
  ).body as Body

/** Each link is two edges. A record with a visible neighbour, and a hidden neighbour and hidden derived records in each of two places. */
async function tie(words: string): Promise<string> {
  const root = await say(words)
  const link = (id: string, to: string) => send(`${id}/relations`, { predicate: 'supports', target_id: to })
  await link(root.id, (await say(`${words}, seen`)).id)
  const provenance = { sources: [{ kind: 'event', ref: `record:${root.id}` }] }
  for (const place of [{ sensitivity: 'hyper' }, { scope: 'theirs' }]) {
    const near = await say(`${words}, near`, place)
    await link(near.id, root.id)
    await link(root.id, near.id)
    const child = await say(`${words}, from it`, { ...place, provenance })
    await link(child.id, near.id)
    await send(`${child.id}/access`, { actor: 'agent' })
  }
  return root.id
}

describe('the receipt of an erase', () => {
  it('counts nothing of hidden records', async () => {
    const receipt = await erase(await tie('tied'), { key })
    expect(receipt['removed']).toMatchObject({ records: 1, relations: 2, access_rows: 0 })
    expect(receipt['tombstone_ids']).toHaveLength(1)
    const whole = await erase(await tie('tied for root'))
    expect(whole['removed']).toMatchObject({ records: 3, relations: 14, access_rows: 2 })
    expect(whole['tombstone_ids']).toHaveLength(3)
  })

  it('does not name the tombstone of the same words that were erased as hidden ones', async () => {
    const hidden = await say('twice said', { sensitivity: 'hyper' })
    const own = await say('twice said')
    expect((await erase(hidden.id))['tombstone_ids']).toHaveLength(1)
    expect((await erase(own.id, { key }))['tombstone_ids']).toEqual([])
  })
})
