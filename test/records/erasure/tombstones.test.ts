import { afterAll, describe, expect, it } from 'vitest'
import { createSeal } from '../../../src/domain/identity/tombstone-seal.ts'
import { rescoreAndPromoteRecord } from '../../../src/lifecycle/index.ts'
import { lockTombstonesExclusive } from '../../../src/records/erasure/tombstones.queries.ts'
import { createRecordsService } from '../../../src/records/index.ts'
import { rootCaller } from '../../support/apps/root-caller.ts'
import { until } from '../../support/processes/processes.ts'
import { type Body, create, expectProblem, payloads, say } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const key = 'a key of the tombstone tests'
const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: key } })
afterAll(() => app.close())

const reason = { actor: 'desk', rationale: 'request 4711' }
const post = (body: object) => app.request('POST', '/v1/records', { body })
const erase = async (id: string): Promise<Body> => {
  const answer = await app.request('POST', `/v1/records/${id}/erase`, { body: reason })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body
}
describe('content that was erased', () => {
  it('is refused in any spelling, and only as a whole', async () => {
    await erase((await create(app, say('Ada lives in  Paris.'))).id)
    for (const words of ['Ada lives in Paris', 'ADA LIVES, in\tparis!', 'ａｄａ lives in Paris…']) {
      expectProblem(await post(say(words)), 409, 'erased_content')
    }
    expect((await post(say('Ada lives in Parisian style'))).status).toBe(201)
    expect(
      (
        await post(
          say('Ada lives in Paris', {
            type: 'semantic',
            payload: { ...payloads.semantic, subject: 'x', object: 'Ada lives in Paris' },
          }),
        )
      ).status,
    ).toBe(201)
  })

  it('is refused in its own scope only', async () => {
    await erase((await create(app, say('only here', { scope: 'here' }))).id)
    expectProblem(await post(say('only here', { scope: 'here' })), 409, 'erased_content')
    expect((await post(say('only here', { scope: 'there' }))).status).toBe(201)
    expect((await post(say('only here'))).status).toBe(201)
  })

  const spoken: [string, object, object][] = [
    [
      'an entity by its name',
      { kind: 'entity', canonical_name: 'Blanche', primary_type: 'Person' },
      { primary_type: 'Cat' },
    ],
    [
      'an episode by its summaries and results, not by when or by which reference',
      {
        kind: 'episodic',
        timeline: [{ t: '2026-01-01T00:00:00Z', event_kind: 'e', ref: 'one', summary: 'the door was red' }],
        tool_graph: [{ id: 'n', tool: 'look', result: { door: 'Red' } }],
      },
      {
        timeline: [{ t: '2026-02-02T00:00:00Z', event_kind: 'f', ref: 'two', summary: 'The door was red!' }],
      },
    ],
    [
      'working state by what it says',
      { ...payloads.working, context_summary: 'half done' },
      { thread_id: 'other', state: 'done' },
    ],
    [
      'a skill by its name and recipe',
      { ...payloads.competence, recipe: [{ step: 'restart it' }] },
      { failure_modes: ['none'] },
    ],
    [
      'a plan by its intent and steps',
      { ...payloads.plan_graph, intent: 'ship', nodes: [{ id: 'a', op: 'build' }] },
      { version: '2' },
    ],
  ]
  it.each(spoken)('is recognised in %s', async (_, payload, changes) => {
    const type = (payload as { kind: string }).kind
    await erase((await create(app, { type, payload })).id)
    expectProblem(await post({ type, payload: { ...payload, ...changes } }), 409, 'erased_content')
  })

  it('cannot be restored from a forgotten twin', async () => {
    const erased = await create(app, say('twice'))
    const twin = await create(app, say('twice'))
    await app.request('DELETE', `/v1/records/${twin.id}?actor=a&rationale=r`)
    await erase(erased.id)
    const restored = await app.request('POST', `/v1/records/${twin.id}/restore`, {
      body: { actor: 'a', rationale: 'r' },
    })
    expectProblem(restored, 409, 'erased_content')
  })

  it('leaves no tombstone when the record has no content', async () => {
    const { id } = await create(app, { type: 'episodic', payload: { kind: 'episodic' } })
    expect((await erase(id)).tombstone_ids).toEqual([])
    expect((await post({ type: 'episodic', payload: { kind: 'episodic' } })).status).toBe(201)
  })

  it('is refused in a batch together with the records linked to it, while the others are stored', async () => {
    await erase((await create(app, say('batch secret'))).id)
    const id = app.ids.next()
    const relations = [{ predicate: 'supports', target_id: id }]
    const records = [say('batch secret', { id }), say('innocent'), say('linked', { relations })]
    const { body } = await app.request('POST', '/v1/records/batch', { body: { records } })
    expect((body as Body).results.map((result: Body) => result.problem?.code ?? result.status)).toEqual([
      'erased_content',
      201,
      'record_not_found',
    ])
    const atomic = await app.request('POST', '/v1/records/batch', { body: { records, atomic: true } })
    expectProblem(atomic, 409, 'erased_content')
  })

  it('is refused by a patch and by a move to the scope', async () => {
    const named = (name: string, scope: string) => ({
      type: 'entity',
      scope,
      payload: { kind: 'entity', canonical_name: name, primary_type: 'Person' },
    })
    await erase((await create(app, named('Nobody Known', 'p'))).id)
    const other = await create(app, named('Somebody', 'p'))
    const moved = await create(app, named('Nobody known', 'q'))
    const patch = (id: string, body: object) => app.request('PATCH', `/v1/records/${id}`, { body })
    expectProblem(
      await patch(other.id, { payload: { canonical_name: 'nobody known' } }),
      409,
      'erased_content',
    )
    expectProblem(await patch(moved.id, { scope: 'p' }), 409, 'erased_content')
    expect((await patch(moved.id, { tags: ['still editable'] })).status).toBe(200)
  })
})

describe('GET and DELETE /v1/tombstones', () => {
  it('list the tombstones in pages for admins, and lift one', async () => {
    const scope = app.ids.next()
    for (const words of ['first', 'second', 'third']) {
      app.clock.advance(1_000)
      await erase((await create(app, say(words, { scope }))).id)
    }
    const page = (await app.request('GET', '/v1/tombstones?limit=2')).body as Body
    expect(page.items).toMatchObject([{ scope, actor: 'desk' }, { scope }])
    expect(Object.keys(page.items[0]).sort()).toEqual(['actor', 'created_at', 'id', 'scope', 'via'])
    const next = (await app.request('GET', `/v1/tombstones?limit=1&cursor=${page.next_cursor}`)).body as Body
    expect(next.items).toMatchObject([{ scope }])
    const path = `/v1/tombstones/${next.items[0].id}`
    expectProblem(await post(say('first', { scope })), 409, 'erased_content')
    expect((await app.request('DELETE', path)).status).toBe(204)
    expectProblem(await app.request('DELETE', path), 404, 'tombstone_not_found')
    expect((await post(say('first', { scope }))).status).toBe(201)
    const reader = await app.issueKey(['records:read', 'lifecycle:write'])
    expectProblem(await app.request('GET', '/v1/tombstones', { key: reader }), 403, 'forbidden')
    expectProblem(await app.request('DELETE', path, { key: reader }), 403, 'forbidden')
  })

  it('show one tombstone for content that was erased twice', async () => {
    const equals = [await create(app, say('twin')), await create(app, say('Twin.'))]
    const first = await erase(equals[0].id)
    const second = await erase(equals[1].id)
    expect(second.tombstone_ids).toEqual(first.tombstone_ids)
  })

  it('are not readable under another key, and such a server refuses to store content', async () => {
    for (const seal of [createSeal('quite another key'), createSeal(undefined)]) {
      const resources = { db: app.db, clock: app.clock, ids: app.ids, seal, policies: app.services.policies }
      const other = createRecordsService({
        ...resources,
        rescore: rescoreAndPromoteRecord,
        defaultSensitivity: 'low',
        textLanguage: 'english',
      })
      const stored = other.create({ caller: rootCaller }, { type: 'semantic', payload: payloads.semantic })
      await expect(stored).rejects.toMatchObject({ code: 'MBT01' })
    }
  })

  it('require a tombstone key: without one no record can be erased', async () => {
    const keyless = await startTestApp()
    try {
      const { id } = await create(keyless, say('kept'))
      const answer = await keyless.request('POST', `/v1/records/${id}/erase`, { body: reason })
      expectProblem(answer, 503, 'tombstone_key_missing')
    } finally {
      await keyless.close()
    }
  })
})

describe('a create concurrent with an erase', () => {
  const waiting = (count: number) =>
    until('sessions to wait for the lock', async () => {
      const { rows } = await app.database.pool.query(
        "select 1 from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
      )
      return rows.length >= count || undefined
    })

  it('waits for the erase and is refused by its tombstone', async () => {
    const { id } = await create(app, say('raced'))
    const racers: Promise<unknown>[] = []
    await app.db.transaction().execute(async (tx) => {
      await lockTombstonesExclusive(tx)
      racers.push(post(say('raced')), erase(id), post(say('raced')))
      await waiting(3)
    })
    await Promise.all(racers)
    // Creates before the erase are records of their own; none succeeds after it.
    expectProblem(await post(say('raced')), 409, 'erased_content')
  })

  it('never succeeds once the erase has been answered', async () => {
    const { id } = await create(app, say('stormed'))
    let isErased = false
    const late: number[] = []
    const storm = async () => {
      for (let left = 3; left > 0; ) {
        const beganAfter = isErased
        const { status } = await post(say('stormed'))
        if (!beganAfter) continue
        late.push(status)
        left--
      }
    }
    const storms = Array.from({ length: 5 }, storm)
    await erase(id)
    isErased = true
    await Promise.all(storms)
    expect(late).toEqual(Array(3 * storms.length).fill(409))
  })
})
