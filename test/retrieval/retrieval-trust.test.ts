import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import {
  buildService,
  buildStatement,
  link,
  listNodeIds,
  retrieve,
} from '../support/requests/retrieval-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'the key of the erasures' } })
const trust = { scopes: ['mine', 'ours'], max_sensitivity: 'low' }
/** A key for the scopes `mine` and `ours` and records without scope, up to `low`. */
const narrow = await app.issueKey(['records:read', 'lifecycle:write'], trust)
afterAll(() => app.close())

const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta']
const pick = <T>(of: readonly T[], seed: number): T => {
  const found = of[seed % of.length]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}

/** Requests with every option, to give hidden records every chance to show. */
const questions: object[] = [
  {},
  { task_descriptor: 'alpha beta' },
  { task_descriptor: 'why did gamma fail when delta was deployed by Orion?' },
  { task_descriptor: 'When did alpha meet beta? Which gamma saw the delta, and who fixed zeta?' },
  { task_descriptor: '"zeta"', tags: ['common'] },
  { task_descriptor: 'epsilon', min_salience: 0.3, min_importance: 0.1, max_hops: 3 },
  { task_descriptor: 'Orion', node_limit: 5, edge_limit: 3, root_limit: 2 },
  { memory_types: ['semantic'], mode: 'facts_only', layers: ['semantic'] },
  { include_status: ['challenged', 'invalidated', 'superseded', 'merged'], include_expired: true },
  { scopes: ['mine'], max_hops: 5, node_limit: 100, edge_limit: 1_000 },
  { scopes: ['theirs'] },
  { trust: { scopes: ['theirs', 'mine'], max_sensitivity: 'hyper' } },
  { root_limit: 100, node_limit: 500, edge_limit: 5_000, max_hops: 2 },
]

async function askAll(): Promise<string[]> {
  const texts: string[] = []
  for (const question of questions) {
    const body = { ...question, explain: true, record_access: false }
    const { text, status } = await app.request('POST', '/v1/retrieve', { key: narrow, body })
    expect([status, text]).toEqual([200, text])
    texts.push(text)
  }
  return texts
}

const challenge = (id: string) =>
  app.request('POST', `/v1/records/${id}/status`, {
    body: { status: 'challenged', reason: 'doubt', actor: 'ada' },
  })

async function storeVisible(index: number): Promise<Body> {
  const text = `${pick(words, index)} ${pick(words, index * 7 + 3)} ${pick(words, index * 5 + 1)}`
  const more = {
    sensitivity: pick(['low', 'public'], index),
    tags: ['common', pick(words, index)],
    salience: 0.2 + (index % 10) / 20,
    ...(index % 3 ? { scope: pick(['mine', 'ours'], index) } : {}),
  }
  return create(app, index % 6 ? buildStatement(text, more) : buildService(`Orion ${index}`, more))
}

async function storeHidden(index: number): Promise<Body> {
  const text = `${pick(words, index)} ${pick(words, index)} ${pick(words, index)} secret`
  const where =
    index % 2 ? { scope: 'theirs', sensitivity: 'public' } : { scope: 'mine', sensitivity: 'high' }
  const more = { ...where, tags: ['common', 'secret'], salience: 1, base_importance: 1 }
  return create(app, index % 4 ? buildStatement(text, more) : buildService('Orion', more))
}

describe('retrieval with a limited key', () => {
  it('answers the same bytes whether or not hidden records exist', async () => {
    const visible: Body[] = []
    for (let index = 0; index < 24; index++) visible.push(await storeVisible(index))
    for (const [index, { id }] of visible.entries()) {
      const predicate = pick(['supports', 'mentions_entity', 'near'], index)
      await link(app, id, predicate, pick(visible, index * 11 + 1).id)
    }
    await challenge(visible[7].id)
    const before = await askAll()

    const hidden: Body[] = []
    for (let index = 0; index < 24; index++) hidden.push(await storeHidden(index))
    for (const [index, { id }] of hidden.entries()) {
      // Edges are written in both directions, so the visible record gets an edge without a new version.
      await link(app, id, 'mentions_entity', pick(visible, index * 3).id)
      await link(app, id, 'depends_on', pick(hidden, index + 1).id)
    }
    await challenge(hidden[1].id)
    expect(await askAll()).toEqual(before)
    const reason = { actor: 'ada', rationale: 'asked' }
    const forgetting = '?actor=ada&rationale=asked'
    const end = async (method: string, path: string, body?: object) => {
      for (const { id } of hidden)
        expect((await app.request(method, `/v1/records/${id}${path}`, { body })).status).toBe(200)
    }
    await end('DELETE', forgetting)
    expect(await askAll()).toEqual(before)
    await end('POST', '/erase', reason)
    expect(await askAll()).toEqual(before)
    for (const text of before) expect(text).not.toContain('secret')
  })
})

describe('the trust of a retrieval request', () => {
  it('narrows what the key sees and never widens it', async () => {
    const word = 'toucan'
    const ids: Record<string, string> = {}
    for (const scope of ['mine', 'ours', 'theirs', undefined]) {
      for (const sensitivity of ['public', 'low']) {
        const more = { sensitivity, ...(scope ? { scope } : {}) }
        ids[`${scope} ${sensitivity}`] = (await create(app, buildStatement(word, more))).id
      }
    }
    const found = async (trust: object, key?: string) => {
      const body = { task_descriptor: word, trust, root_limit: 100, node_limit: 500, max_hops: 0 }
      const seen = new Set(listNodeIds(await retrieve(app, body, key)))
      return Object.entries(ids)
        .filter(([, id]) => seen.has(id))
        .map(([name]) => name)
    }
    const own = ['mine public', 'mine low', 'ours public', 'ours low', 'undefined public', 'undefined low']
    expect(await found({}, narrow)).toEqual(own)
    expect(await found({ max_sensitivity: 'hyper', scopes: [] }, narrow)).toEqual(own)
    expect(await found({ max_sensitivity: 'public' }, narrow)).toEqual(
      own.filter((each) => !/low/.test(each)),
    )
    expect(await found({ scopes: ['mine'] }, narrow)).toEqual(own.filter((each) => !/ours/.test(each)))
    expect(await found({ scopes: ['mine', 'theirs'] }, narrow)).toEqual(
      own.filter((each) => !/ours/.test(each)),
    )
    expect(await found({ scopes: ['theirs'] }, narrow)).toEqual(['undefined public', 'undefined low'])
    expect(await found({ scopes: ['theirs'] })).toEqual(
      Object.keys(ids).filter((each) => /theirs|undefined/.test(each)),
    )
  })
})

describe('a redacted record in a retrieval', () => {
  it('is returned without its content when no filter depends on the content', async () => {
    const { id } = await create(
      app,
      buildStatement('puffin secret', { scope: 'ours', sensitivity: 'medium' }),
    )
    const answer = await retrieve(
      app,
      { scopes: ['ours'], node_limit: 500, root_limit: 100, explain: true },
      narrow,
    )
    const node = answer.nodes.find((each: Body) => each.record.id === id)
    expect(node).toEqual({ record: await read(app, id, { key: narrow }), root: true, hop: 0, score: 1 })
    expect(JSON.stringify(answer)).not.toContain('puffin')
  })

  it('is not found by its text, name or tags, nor with a filter on a hidden field', async () => {
    const tagged = { scope: 'mine', sensitivity: 'medium', tags: ['kakapo'] }
    const entity = await create(app, buildService('Kakapo', tagged))
    const about = await create(app, buildStatement('kakapo', { scope: 'mine' }))
    await link(app, entity.id, 'mentioned_in', about.id)
    for (const question of [
      { task_descriptor: 'kakapo', max_hops: 0 },
      { task_descriptor: 'Kakapo', max_hops: 0, memory_types: ['entity'] },
      { tags: ['kakapo'] },
      { mode: 'facts_only' },
      { layers: ['semantic'] },
      { min_importance: 0.01 },
      { as_of: app.clock.now().toISOString(), task_descriptor: 'kakapo', max_hops: 0 },
    ]) {
      const answer = await retrieve(app, { ...question, root_limit: 100, node_limit: 500 }, narrow)
      expect([question, listNodeIds(answer).includes(entity.id)]).toEqual([question, false])
    }
    // Its name does not lead to linked records either.
    const body = { task_descriptor: 'Kakapo', explain: true, max_hops: 0 }
    const node = (await retrieve(app, body, narrow)).nodes.find((each: Body) => each.record.id === about.id)
    expect(node.signals.channels.map((each: Body) => each.channel)).not.toContain('graph')
  })

  it('ends the expansion, and its edge appears at the visible end', async () => {
    const root = await create(app, buildStatement('cassowary', { scope: 'mine' }))
    const veiled = await create(app, buildStatement('hidden words', { scope: 'mine', sensitivity: 'medium' }))
    const beyond = await create(app, buildStatement('beyond', { scope: 'mine' }))
    await link(app, veiled.id, 'supports', root.id)
    await link(app, veiled.id, 'supports', beyond.id)
    const body = { task_descriptor: 'cassowary', root_limit: 1, max_hops: 3, explain: true }
    const answer = await retrieve(app, body, narrow)
    expect(answer.root_ids).toEqual([root.id])
    const node = answer.nodes.find((each: Body) => each.record.id === veiled.id)
    expect(node).toEqual({
      record: await read(app, veiled.id, { key: narrow }),
      root: false,
      hop: 1,
      score: expect.any(Number),
    })
    expect(node.record.redacted).toBe(true)
    expect(listNodeIds(answer)).not.toContain(beyond.id)
    expect(answer.edges.map((edge: Body) => [edge.source_id, edge.target_id])).toEqual([[root.id, veiled.id]])
  })

  it('has a score that does not depend on its importance', async () => {
    const root = await create(app, buildStatement('emu', { scope: 'mine' }))
    // A served access, which is stored at any moment, would raise the score of the root.
    const ask = { task_descriptor: 'emu', root_limit: 1, record_access: false }
    const scores: number[] = []
    for (const base_importance of [0, 1]) {
      const more = { scope: 'mine', sensitivity: 'medium', base_importance }
      const { id } = await create(app, buildStatement('x', more))
      await link(app, root.id, 'supports', id)
      const answer = await retrieve(app, ask, narrow)
      scores.push(answer.nodes.find((each: Body) => each.record.id === id).score)
    }
    expect(scores[0]).toBe(scores[1])
  })

  it('is not counted as served', async () => {
    const { id } = await create(app, buildStatement('moa', { scope: 'only', sensitivity: 'medium' }))
    const key = await app.issueKey(['records:read'], { scopes: ['only'], max_sensitivity: 'low' })
    expect(listNodeIds(await retrieve(app, { scopes: ['only'] }, key))).toEqual([id])
    await app.services.access.flush()
    expect((await read(app, id)).access_count).toBe(0)
  })
})

describe('a hidden neighbour in a retrieval', () => {
  it('is left out with its edge and takes no place within the limits', async () => {
    const hub = await create(app, buildStatement('ibis', { scope: 'mine' }))
    const seen: string[] = []
    for (let index = 0; index < 6; index++) {
      const { id } = await create(app, buildStatement(`n${index}`, { scope: 'mine' }))
      const secret = await create(
        app,
        buildStatement(`s${index}`, index % 2 ? { scope: 'theirs' } : { sensitivity: 'hyper' }),
      )
      await link(app, secret.id, 'supports', hub.id)
      await link(app, id, 'supports', hub.id)
      seen.push(id)
    }
    const body = { task_descriptor: 'ibis', root_limit: 1, node_limit: 7 }
    const answer = await retrieve(app, body, narrow)
    expect(listNodeIds(answer).sort()).toEqual([hub.id, ...seen].sort())
    expect(answer.edges).toHaveLength(6)
  })
})
