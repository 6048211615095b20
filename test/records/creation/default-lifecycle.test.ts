import { afterAll, describe, expect, it } from 'vitest'
import { capture, captureFact, pickCreated, triple } from '../../support/requests/capture-requests.ts'
import { importLines } from '../../support/requests/export-and-import.ts'
import {
  type Body,
  create,
  expectProblem,
  payloads,
  read,
  type Type,
} from '../../support/requests/record-requests.ts'
import { buildClaim, mergeRecords, revise } from '../../support/requests/revision-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const types = Object.keys(payloads) as Type[]
const policyOf = async (type: Type): Promise<Body> =>
  (await app.request('GET', `/v1/policies/${type}`)).body as Body
const setPolicy = (type: Type, decay: object, deletion_policy = 'auto_prune') =>
  app.request('PUT', `/v1/policies/${type}`, { body: { decay, deletion_policy } })

/** Returns the part of a lifecycle that a policy defines. */
function lifecycleOf({ lifecycle: { decay, deletion_policy } }: Body) {
  return { decay, deletion_policy }
}

async function defaultLifecycleOf(type: Type) {
  const { decay, deletion_policy } = await policyOf(type)
  return { decay, deletion_policy }
}

describe('a record without a lifecycle gets the policy of its type', () => {
  it.each(types)('when a %s record is created', async (type) => {
    const record = await create(app, { type, payload: payloads[type], scope: 'created' })
    expect(lifecycleOf(record)).toEqual(await defaultLifecycleOf(type))
    expect(record.lifecycle.pinned).toBe(false)
    expect(lifecycleOf(await read(app, record.id))).toEqual(await defaultLifecycleOf(type))
  })

  it.each([true, false])('when it is part of a batch with atomic: %s', async (atomic) => {
    const records = types.map((type) => ({ type, payload: payloads[type], scope: `batch ${atomic}` }))
    const { body } = await app.request('POST', '/v1/records/batch', { body: { records, atomic } })
    const lives = (body as Body).results.map(({ record }: Body) => lifecycleOf(record))
    expect(lives).toEqual(await Promise.all(types.map(defaultLifecycleOf)))
  })

  it('when it is imported', async () => {
    const lines = types.map((type) => ({ id: app.ids.next(), type, payload: payloads[type], scope: 'lines' }))
    expect((await importLines(app, lines)).summary).toMatchObject({ created: types.length })
    for (const { id, type } of lines)
      expect(lifecycleOf(await read(app, id))).toEqual(await defaultLifecycleOf(type))
  })

  it('when its import line has anchors but no lifecycle', async () => {
    const anchors = { base_salience: 0.5, anchored_at: app.clock.now().toISOString() }
    const line = { id: app.ids.next(), type: 'semantic', payload: payloads.semantic, scope: 'whole', anchors }
    expect((await importLines(app, [line])).summary).toMatchObject({ created: 1 })
    const record = await read(app, line.id)
    expect(lifecycleOf(record)).toEqual(await defaultLifecycleOf('semantic'))
    expect(record.salience).toBe(0.5)
  })

  it('when a capture creates it: episode, fact, entity and task', async () => {
    const answer = await captureFact(app, triple('linux'), { scope: 'captured' })
    expect(lifecycleOf(answer.primary_record)).toEqual(await defaultLifecycleOf('episodic'))
    for (const type of ['semantic', 'entity'] as const) {
      expect(pickCreated(answer, type).map(lifecycleOf)).toEqual([await defaultLifecycleOf(type)])
    }
    const task = await capture(app, { thread_id: 'a task' }, { source_kind: 'working_state' })
    expect(lifecycleOf(task.primary_record)).toEqual(await defaultLifecycleOf('working'))
  })

  it('when a revision creates it', async () => {
    const say = (object: string) => buildClaim(object, { scope: 'revised' })
    const first = await create(app, say('one'))
    const second = await create(app, say('two'))
    const third = await create(app, say('three'))
    const answers = [
      await revise(app, 'supersede', first.id, { record: buildClaim('four') }),
      await revise(app, 'fork', second.id, { record: buildClaim('five') }),
      await mergeRecords(app, [second.id, third.id], buildClaim('six')),
    ]
    for (const { body } of answers) {
      expect(lifecycleOf((body as Body).record)).toEqual(await defaultLifecycleOf('semantic'))
    }
  })
})

describe('a partial lifecycle', () => {
  const lifecycle = { decay: { min_salience: 0.2 }, pinned: true }

  async function expectFilled(record: Body) {
    const { decay, deletion_policy } = await defaultLifecycleOf('semantic')
    expect(record.lifecycle).toMatchObject({
      decay: { ...decay, min_salience: 0.2 },
      deletion_policy,
      pinned: true,
    })
  }

  it('is completed from the policy by a create, an import and a revision', async () => {
    const input = buildClaim('in part', { scope: 'in part', lifecycle })
    const created = await create(app, input)
    await expectFilled(created)
    const id = app.ids.next()
    await importLines(app, [{ ...input, id }])
    await expectFilled(await read(app, id))
    const { body } = await revise(app, 'supersede', created.id, {
      record: buildClaim('other', { lifecycle }),
    })
    await expectFilled((body as Body).record)
  })

  it('keeps max_salience: null, which means no cap', async () => {
    const record = await create(
      app,
      buildClaim('unbounded', { lifecycle: { decay: { max_salience: null } } }),
    )
    expect(record.lifecycle.decay.max_salience).toBeNull()
    expect(record.lifecycle.decay.half_life_seconds).toBe(2_592_000)
  })
})

describe('a changed policy', () => {
  const decay = {
    curve: 'linear',
    half_life_seconds: 7_200,
    min_salience: 0.1,
    max_age_seconds: 600,
    reinforcement_gain: 0.3,
    max_salience: null,
  }

  it('applies to the next record that any operation creates, and to no existing record', async () => {
    const say = (object: string) => buildClaim(object, { scope: 'changed' })
    const before = await create(app, say('before'))
    const source = await create(app, say('source'))
    const old = await defaultLifecycleOf('semantic')
    expect((await setPolicy('semantic', decay, 'manual_only')).status).toBe(200)
    const changed = { decay, deletion_policy: 'manual_only' }
    expect(lifecycleOf(await create(app, say('after')))).toEqual(changed)
    const id = app.ids.next()
    await importLines(app, [{ ...say('line'), id }])
    expect(lifecycleOf(await read(app, id))).toEqual(changed)
    const { body } = await revise(app, 'supersede', source.id, { record: say('revised') })
    expect(lifecycleOf((body as Body).record)).toEqual(changed)
    const answer = await captureFact(app, triple('after the change'), { scope: 'changed' })
    expect(pickCreated(answer, 'semantic').map(lifecycleOf)).toEqual([changed])
    expect(lifecycleOf(await read(app, before.id))).toEqual(old)
    await setPolicy('semantic', old.decay, old.deletion_policy)
  })

  it('is applied by a patch with null', async () => {
    const old = await defaultLifecycleOf('semantic')
    const mine = { decay: { half_life_seconds: 60, curve: 'huber' }, deletion_policy: 'manual_only' }
    const record = await create(app, buildClaim('patched', { lifecycle: mine }))
    await setPolicy('semantic', decay, 'never')
    const nulls = { decay: { half_life_seconds: null, curve: null }, deletion_policy: null }
    const { body } = await app.request('PATCH', `/v1/records/${record.id}`, { body: { lifecycle: nulls } })
    expect((body as Body).lifecycle).toMatchObject({
      decay: { half_life_seconds: 7_200, curve: 'linear' },
      deletion_policy: 'never',
    })
    await setPolicy('semantic', old.decay, old.deletion_policy)
  })

  it('protects records from deletion when they are created under the policy never', async () => {
    const old = await defaultLifecycleOf('competence')
    await setPolicy('competence', old.decay, 'never')
    const record = await create(app, { type: 'competence', payload: payloads.competence })
    const remove = () => app.request('DELETE', `/v1/records/${record.id}?actor=me&rationale=test`)
    expectProblem(await remove(), 409, 'deletion_policy_never')
    // A patch with null does not weaken the protection for a key without admin.
    await setPolicy('competence', old.decay, 'auto_prune')
    const key = await app.issueKey(['records:read', 'records:write'])
    const body = { lifecycle: { deletion_policy: null } }
    expectProblem(await app.request('PATCH', `/v1/records/${record.id}`, { key, body }), 403, 'forbidden')
    expect((await app.request('PATCH', `/v1/records/${record.id}`, { body })).status).toBe(200)
    expect((await remove()).status).toBe(200)
  })
})
