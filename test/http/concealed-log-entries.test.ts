import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, fact, payloads } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const secretWriter = 'writer-of-the-hidden'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the concealing tests' } })
const key = await app.issueKey(['records:read'], { scopes: ['mine'], max_sensitivity: 'low' })
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

describe('an id of a hidden record, in small and in capital letters', () => {
  it.each(['toLowerCase', 'toUpperCase'] as const)('%s: is in no answer to the key', async (spell) => {
    const { id } = await create(app, fact({ scope: 'mine', sensitivity: 'hyper' }))
    const named = id[spell]()
    const evidence = [{ source_type: 'event', source_id: named, timestamp: '2026-01-01T00:00:00.000Z' }]
    const seen = await create(
      app,
      fact({
        scope: 'mine',
        sensitivity: 'low',
        payload: { ...payloads.semantic, evidence },
        provenance: { sources: [{ kind: 'event', ref: `record:${named}` }] },
      }),
    )
    await send(`/v1/records/${seen.id}/reinforce`, { actor: 'a', rationale: `as ${named} says` })
    for (const path of [`/v1/records/${seen.id}`, `/v1/records/${seen.id}/audit`, '/v1/export']) {
      const ofRoot = await app.request('GET', path)
      expect(ofRoot.text).toContain(named)
      const ofKey = await app.request('GET', path, { key })
      expect(ofKey.text).toContain(path === '/v1/export' ? seen.id : 'created')
      expect(ofKey.text.toLowerCase()).not.toContain(id)
    }
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

describe('what a hidden record did to a visible one', () => {
  const reason = { actor: secretWriter, rationale: 'the secret reason' }
  const hidden = {
    scope: 'mine',
    sensitivity: 'hyper',
    provenance: { sources: [{ kind: 'event', ref: 'r' }] },
  }
  const low = { scope: 'mine', sensitivity: 'low' }
  const claim = (subject: string) => fact({ payload: { ...payloads.semantic, subject } })
  const skill = { type: 'competence', payload: { kind: 'competence', skill_name: 'rare' } }
  const entity = { type: 'entity', payload: { kind: 'entity', canonical_name: 'Rare', primary_type: 'Tool' } }
  const answer = async (path: string, body: object) => {
    const { status, text, body: found } = await send(path, body)
    if (status >= 300) throw new Error(text)
    return found as Body
  }

  const deeds: [string, object, (id: string, like: object) => Promise<string>][] = [
    ['fork', claim('forked'), async (id, like) => (await succeed('fork', id, like)).id],
    ['supersession of a skill', skill, async (id, like) => (await succeed('supersede', id, like)).id],
    [
      'contest',
      claim('contested'),
      async (id, like) => {
        const rival = await create(app, { ...like, ...hidden })
        await answer(`/v1/records/${id}/contest`, { contesting_ref: rival.id, ...reason })
        return rival.id
      },
    ],
    [
      'merge',
      claim('merged'),
      async (id, like) => {
        const other = await create(app, { ...like, ...low })
        const body = { ids: [id, other.id], record: { ...like, ...hidden }, ...reason }
        return (await answer('/v1/records/merge', body)).record.id
      },
    ],
    [
      'merge of an entity',
      entity,
      async (id, like) => {
        const target = await create(app, { ...like, ...hidden })
        await answer(`/v1/entities/${target.id}/merge`, { source_ids: [id], ...reason })
        return target.id
      },
    ],
  ]

  async function succeed(operation: string, id: string, like: object): Promise<Body> {
    const body = { record: { ...like, ...hidden }, ...reason }
    return (await answer(`/v1/records/${id}/${operation}`, body)).record
  }

  it.each(deeds)('stays hidden when that record is erased: %s', async (_, like, doTo) => {
    const near = await create(app, { ...like, ...low })
    const far = await doTo(near.id, like)
    const readAll = async (options: object) => {
      const paths = ['audit', 'status-history'].map((view) => `/v1/records/${near.id}/${view}`)
      const answers = [...paths, `/v1/records/${near.id}`].map((path) => app.request('GET', path, options))
      return (await Promise.all(answers)).map(({ text }) => text)
    }
    const before = await readAll({ key })
    await answer(`/v1/records/${far}/erase`, { actor: 'desk', rationale: 'asked to' })
    expect(await readAll({ key })).toEqual(before)
    expect(before.join()).not.toMatch(/secret|writer-of/)
    expect((await readAll({})).join()).toContain(secretWriter)
  })
})
