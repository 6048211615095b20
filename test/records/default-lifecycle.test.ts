import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capture, captureFact, pickCreated, triple } from '../support/capture-requests.ts'
import { importLines } from '../support/export-and-import.ts'
import { type Body, create, expectProblem, payloads, read, type Type } from '../support/record-requests.ts'
import { buildClaim, mergeRecords, revise } from '../support/revision-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
})
afterAll(() => app.close())

const types = Object.keys(payloads) as Type[]
const policyOf = async (type: Type): Promise<Body> =>
  (await app.request('GET', `/v1/policies/${type}`)).body as Body
const setPolicy = (type: Type, decay: object, deletion_policy = 'auto_prune') =>
  app.request('PUT', `/v1/policies/${type}`, { body: { decay, deletion_policy } })

/** What a policy says of a record. */
function lifeOf({ lifecycle: { decay, deletion_policy } }: Body) {
  return { decay, deletion_policy }
}

async function shipped(type: Type) {
  const { decay, deletion_policy } = await policyOf(type)
  return { decay, deletion_policy }
}

describe('a record whose client names no lifecycle has the policy of its type', () => {
  it.each(types)('when a %s record is created', async (type) => {
    const record = await create(app, { type, payload: payloads[type], scope: 'created' })
    expect(lifeOf(record)).toEqual(await shipped(type))
    expect(record.lifecycle.pinned).toBe(false)
    expect(lifeOf(await read(app, record.id))).toEqual(await shipped(type))
  })

  it.each([true, false])('when it is one of a batch whose atomic is %s', async (atomic) => {
    const records = types.map((type) => ({ type, payload: payloads[type], scope: `batch ${atomic}` }))
    const { body } = await app.request('POST', '/v1/records/batch', { body: { records, atomic } })
    const lives = (body as Body).results.map(({ record }: Body) => lifeOf(record))
    expect(lives).toEqual(await Promise.all(types.map(shipped)))
  })

  it('when it is imported', async () => {
    const lines = types.map((type) => ({ id: app.ids.next(), type, payload: payloads[type], scope: 'lines' }))
    expect((await importLines(app, lines)).summary).toMatchObject({ created: types.length })
    for (const { id, type } of lines) expect(lifeOf(await read(app, id))).toEqual(await shipped(type))
  })

  it('when it is imported with what the service keeps, and its line has no lifecycle', async () => {
    const anchors = { base_salience: 0.5, anchored_at: app.clock.now().toISOString() }
    const line = { id: app.ids.next(), type: 'semantic', payload: payloads.semantic, scope: 'whole', anchors }
    expect((await importLines(app, [line])).summary).toMatchObject({ created: 1 })
    const record = await read(app, line.id)
    expect(lifeOf(record)).toEqual(await shipped('semantic'))
    expect(record.salience).toBe(0.5)
  })

  it('when it is captured: the episode, the fact, the entity and the task', async () => {
    const told = await captureFact(app, triple('linux'), { scope: 'captured' })
    expect(lifeOf(told.primary_record)).toEqual(await shipped('episodic'))
    for (const type of ['semantic', 'entity'] as const) {
      expect(pickCreated(told, type).map(lifeOf)).toEqual([await shipped(type)])
    }
    const task = await capture(app, { thread_id: 'a task' }, { source_kind: 'working_state' })
    expect(lifeOf(task.primary_record)).toEqual(await shipped('working'))
  })

  it('when it comes of a revision', async () => {
    const say = (object: string) => buildClaim(object, { scope: 'revised' })
    const [first, second, third] = [
      ...[await create(app, say('one')), await create(app, say('two')), await create(app, say('three'))],
    ]
    const answers = [
      await revise(app, 'supersede', first.id, { record: buildClaim('four') }),
      await revise(app, 'fork', second.id, { record: buildClaim('five') }),
      await mergeRecords(app, [second.id, third.id], buildClaim('six')),
    ]
    for (const { body } of answers) {
      expect(lifeOf((body as Body).record)).toEqual(await shipped('semantic'))
    }
  })
})

describe('a lifecycle in part', () => {
  const lifecycle = { decay: { min_salience: 0.2 }, pinned: true }

  async function expectFilled(record: Body) {
    const { decay, deletion_policy } = await shipped('semantic')
    expect(record.lifecycle).toMatchObject({
      ...{ decay: { ...decay, min_salience: 0.2 }, deletion_policy, pinned: true },
    })
  }

  it('is filled in from the policy by a create, an import and a revision', async () => {
    const given = buildClaim('in part', { scope: 'in part', lifecycle })
    const created = await create(app, given)
    await expectFilled(created)
    const id = app.ids.next()
    await importLines(app, [{ ...given, id }])
    await expectFilled(await read(app, id))
    const { body } = await revise(app, 'supersede', created.id, {
      record: buildClaim('other', { lifecycle }),
    })
    await expectFilled((body as Body).record)
  })

  it('keeps an unbounded cap: null is a value of it', async () => {
    const record = await create(
      app,
      buildClaim('unbounded', { lifecycle: { decay: { max_salience: null } } }),
    )
    expect(record.lifecycle.decay.max_salience).toBeNull()
    expect(record.lifecycle.decay.half_life_seconds).toBe(2_592_000)
  })
})

describe('a change of a policy', () => {
  const decay = {
    ...{ curve: 'linear', half_life_seconds: 7_200, min_salience: 0.1, max_age_seconds: 600 },
    ...{ reinforcement_gain: 0.3, max_salience: null },
  }

  it('applies to the next record at every door, and to no record that exists', async () => {
    const say = (object: string) => buildClaim(object, { scope: 'changed' })
    const [before, source] = [await create(app, say('before')), await create(app, say('source'))]
    const old = await shipped('semantic')
    expect((await setPolicy('semantic', decay, 'manual_only')).status).toBe(200)
    const changed = { decay, deletion_policy: 'manual_only' }
    expect(lifeOf(await create(app, say('after')))).toEqual(changed)
    const id = app.ids.next()
    await importLines(app, [{ ...say('line'), id }])
    expect(lifeOf(await read(app, id))).toEqual(changed)
    const { body } = await revise(app, 'supersede', source.id, { record: say('revised') })
    expect(lifeOf((body as Body).record)).toEqual(changed)
    const told = await captureFact(app, triple('after the change'), { scope: 'changed' })
    expect(pickCreated(told, 'semantic').map(lifeOf)).toEqual([changed])
    expect(lifeOf(await read(app, before.id))).toEqual(old)
    await setPolicy('semantic', old.decay, old.deletion_policy)
  })

  it('is what null in a patch asks for', async () => {
    const old = await shipped('semantic')
    const mine = { decay: { half_life_seconds: 60, curve: 'huber' }, deletion_policy: 'manual_only' }
    const record = await create(app, buildClaim('patched', { lifecycle: mine }))
    await setPolicy('semantic', decay, 'never')
    const nulls = { decay: { half_life_seconds: null, curve: null }, deletion_policy: null }
    const { body } = await app.request('PATCH', `/v1/records/${record.id}`, { body: { lifecycle: nulls } })
    expect((body as Body).lifecycle).toMatchObject({
      ...{ decay: { half_life_seconds: 7_200, curve: 'linear' }, deletion_policy: 'never' },
    })
    await setPolicy('semantic', old.decay, old.deletion_policy)
  })

  it('protects from deletion what is created under a policy of never', async () => {
    const old = await shipped('competence')
    await setPolicy('competence', old.decay, 'never')
    const record = await create(app, { type: 'competence', payload: payloads.competence })
    const remove = () => app.request('DELETE', `/v1/records/${record.id}?actor=me&rationale=test`)
    expectProblem(await remove(), 409, 'deletion_policy_never')
    // A patch to the default does not weaken the protection for one who is no admin.
    await setPolicy('competence', old.decay, 'auto_prune')
    const key = await app.issueKey(['records:read', 'records:write'])
    const body = { lifecycle: { deletion_policy: null } }
    expectProblem(await app.request('PATCH', `/v1/records/${record.id}`, { key, body }), 403, 'forbidden')
    expect((await app.request('PATCH', `/v1/records/${record.id}`, { body })).status).toBe(200)
    expect((await remove()).status).toBe(200)
  })
})
