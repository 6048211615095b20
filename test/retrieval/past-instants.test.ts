import { afterAll, describe, expect, it } from 'vitest'
import { writeOneDayPolicies } from '../support/apps/one-day-policies.ts'
import { type Body, create } from '../support/requests/record-requests.ts'
import { buildStatement, link, listNodeIds, retrieve } from '../support/requests/retrieval-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
await writeOneDayPolicies(app.db)
afterAll(() => app.close())

const day = 86_400_000
const auditFields = { actor: 'ada', rationale: 'tested' }
const instant = () => app.clock.now().toISOString()
const provenance = { sources: [{ kind: 'event', ref: 'test' }] }
const act = async (id: string, action: string, body: object = auditFields) => {
  const answer = await app.request('POST', `/v1/records/${id}/${action}`, { body })
  if (answer.status >= 300) throw new Error(`${action}: ${answer.text}`)
  return answer.body as Body
}

describe('retrieval as of a past instant', () => {
  it('leaves out records and edges that were stored later', async () => {
    const early = await create(app, buildStatement('dunlin', { scope: 'births' }))
    const other = await create(app, buildStatement('other', { scope: 'births' }))
    const as_of = instant()
    app.clock.advance(day)
    const late = await create(app, buildStatement('dunlin dunlin', { scope: 'births' }))
    await link(app, early.id, 'supports', late.id)
    await link(app, early.id, 'supports', other.id)
    for (const question of [{}, { task_descriptor: 'dunlin', root_limit: 1 }]) {
      const answer = await retrieve(app, { ...question, scopes: ['births'], as_of })
      expect(listNodeIds(answer)).not.toContain(late.id)
      expect(answer.edges).toEqual([])
      const [node] = answer.nodes.filter((each: Body) => each.record.id === early.id)
      expect(node.record.relations).toEqual([])
      expect(node.record.audit_log).toHaveLength(1)
    }
  })

  it('returns a superseded fact as it was, without its successor', async () => {
    const scopes = ['revisions']
    const old = await create(app, buildStatement('ruff is blue', { scope: 'revisions', salience: 0.8 }))
    app.clock.advance(1_000)
    const as_of = instant()
    app.clock.advance(1_000)
    const successor = await act(old.id, 'supersede', {
      record: buildStatement('ruff is green', { scope: 'revisions', provenance }),
      ...auditFields,
    })
    for (const question of [{}, { task_descriptor: 'ruff' }]) {
      const past = await retrieve(app, { ...question, scopes, as_of })
      expect(listNodeIds(past)).toEqual([old.id])
      const { record } = past.nodes[0]
      expect(record).toMatchObject({ status: 'active', payload: { revision: { status: 'active' } } })
      expect(record.payload.revision.superseded_by).toBeUndefined()
      expect(record.salience).toBeCloseTo(0.8 * 2 ** (-1 / 86_400), 9)
      expect(listNodeIds(await retrieve(app, { ...question, scopes }))).toEqual([successor.record.id])
    }
  })

  it('uses the status at that instant, and no later one', async () => {
    const scopes = ['statuses']
    const { id } = await create(app, buildStatement('knot', { scope: 'statuses' }))
    const instants: Record<string, string> = {}
    for (const status of ['challenged', 'active', 'challenged']) {
      app.clock.advance(1_000)
      instants[`before ${Object.keys(instants).length}`] = instant()
      app.clock.advance(1_000)
      await act(id, 'status', { status, reason: 'tested', actor: 'ada' })
    }
    const found: boolean[] = []
    for (const as_of of Object.values(instants)) {
      found.push(listNodeIds(await retrieve(app, { scopes, as_of })).includes(id))
    }
    expect(found).toEqual([true, false, true])
    const query = { scopes, as_of: instants['before 1'], include_status: ['challenged'] }
    expect((await retrieve(app, query)).nodes[0].record.status).toBe('challenged')
  })

  it.each(['exponential', 'linear', 'huber', 'elastic'])(
    'uses the salience at that instant on the curve %s, without later changes',
    async (curve) => {
      const scope = `curve ${curve}`
      const decay = { curve, half_life_seconds: 86_400, reinforcement_gain: 0.3 }
      const { id } = await create(
        app,
        buildStatement('godwit', { scope, salience: 0.7, lifecycle: { decay } }),
      )
      const known: { as_of: string; salience: number }[] = []
      const look = async () => {
        const { salience } = (await retrieve(app, { scopes: [scope] })).nodes[0].record
        known.push({ as_of: instant(), salience })
        app.clock.advance(3_600_000)
      }
      for (const move of [
        () => act(id, 'reinforce'),
        () => act(id, 'penalize', { ...auditFields, amount: 0.1 }),
        () => act(id, 'reinforce'),
        () => act(id, 'pin'),
        () => act(id, 'unpin'),
        () => act(id, 'reinforce'),
      ]) {
        await look()
        await move()
        app.clock.advance(3_600_000)
      }
      await look()
      const answers: number[] = []
      for (const { as_of } of known) {
        answers.push((await retrieve(app, { scopes: [scope], as_of })).nodes[0].record.salience)
      }
      // A penalty keeps the start of the curve, which the log does not record: only exponential decay stays exact.
      const exact = curve === 'exponential' ? known : known.filter((_, index) => index !== 2)
      for (const [index, { as_of, salience }] of known.entries()) {
        if (exact.includes(known[index] ?? { as_of, salience }))
          expect(answers[index]).toBeCloseTo(salience, 9)
        else expect(Math.abs((answers[index] ?? 0) - salience)).toBeLessThan(0.1)
      }
    },
  )

  it('returns a timeboxed fact inside its validity', async () => {
    const scopes = ['windows']
    const { payload } = buildStatement('plaice')
    const end = new Date(app.clock.now().getTime() + day).toISOString()
    const validity = { mode: 'timeboxed', end }
    const { id } = await create(app, {
      type: 'semantic',
      scope: 'windows',
      payload: { ...payload, validity },
    })
    const as_of = instant()
    app.clock.advance(2 * day)
    expect(listNodeIds(await retrieve(app, { scopes }))).toEqual([])
    expect(listNodeIds(await retrieve(app, { scopes, as_of }))).toEqual([id])
  })

  it('leaves out records that were forgotten since', async () => {
    const { id } = await create(app, buildStatement('bittern', { scope: 'gone' }))
    const as_of = instant()
    app.clock.advance(1_000)
    await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=gone`)
    expect(listNodeIds(await retrieve(app, { scopes: ['gone'], as_of }))).toEqual([])
  })

  it('applies the filters to the state at that instant', async () => {
    const decay = { half_life_seconds: 86_400 }
    const { id } = await create(app, buildStatement('teal', { scope: 'then', lifecycle: { decay } }))
    const as_of = instant()
    app.clock.advance(2 * day)
    const ask = { scopes: ['then'], min_salience: 0.9 }
    expect(listNodeIds(await retrieve(app, ask))).toEqual([])
    expect(listNodeIds(await retrieve(app, { ...ask, as_of }))).toEqual([id])
  })
})
