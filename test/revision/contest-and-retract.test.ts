import { afterAll, describe, expect, it } from 'vitest'
import {
  type Body,
  create,
  expectProblem,
  payloads,
  read,
  type Type,
} from '../support/requests/record-requests.ts'
import { auditFields, buildClaim, readAuditLog, revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const plain = (type: Type) => ({ type, payload: payloads[type] })

describe('POST /v1/records/{id}/contest', () => {
  it('marks the payload of a fact, which stays active', async () => {
    const stored = await create(app, buildClaim('noon', { scope: 'team' }))
    const rival = await create(app, buildClaim('midnight', { scope: 'team' }))
    const { status, body } = await revise(app, 'contest', stored.id, { contesting_ref: rival.id })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'active',
      salience: 1,
      version: 2,
      payload: { revision: { status: 'contested' } },
      relations: [{ predicate: 'contested_by', target_id: rival.id }],
    })
    expect(await read(app, rival.id)).toMatchObject({ version: 1, relations: [] })
    expect((await readAuditLog(app, stored.id)).at(-1)).toEqual([
      'revise',
      auditFields.actor,
      auditFields.rationale,
    ])
    const answer = await revise(app, 'uncontest', stored.id)
    expect(answer.body).toMatchObject({ version: 3, payload: { revision: { status: 'active' } } })
    expect((answer.body as Body).relations).toHaveLength(1)
    const again = await revise(app, 'uncontest', stored.id)
    expect([again.status, again.headers.get('etag')]).toEqual([200, '"3"'])
  })

  it('challenges a record of another type', async () => {
    const stored = await create(app, plain('competence'))
    const rival = await create(app, plain('episodic'))
    const { body } = await revise(app, 'contest', stored.id, { contesting_ref: rival.id.toUpperCase() })
    expect(body).toMatchObject({
      status: 'challenged',
      relations: [{ predicate: 'contested_by', target_id: rival.id }],
    })
    const twice = await revise(app, 'contest', stored.id, { contesting_ref: 'ticket 17' })
    expect(twice.body).toMatchObject({ status: 'challenged', version: 3 })
    expect((twice.body as Body).provenance.sources.at(-1)).toEqual({
      kind: 'observation',
      ref: 'ticket 17',
      timestamp: app.clock.now().toISOString(),
    })
    expect((await revise(app, 'uncontest', stored.id)).body).toMatchObject({ status: 'active', version: 4 })
    expect((await revise(app, 'uncontest', stored.id)).body).toMatchObject({ status: 'active', version: 4 })
  })

  it('stores a reference that is no record as evidence, once each', async () => {
    const stored = await create(app, buildClaim('flat'))
    const stranger = '0197b9a0-0000-7000-8000-00000000ffff'
    for (const ref of ['a photograph', stranger, 'a photograph']) {
      await revise(app, 'contest', stored.id, { contesting_ref: ref })
    }
    const { payload, relations } = await read(app, stored.id)
    expect(payload.evidence.map((each: Body) => each.source_id)).toEqual([
      'meeting',
      'a photograph',
      stranger,
    ])
    expect(payload.evidence[1]).toMatchObject({
      source_type: 'observation',
      timestamp: app.clock.now().toISOString(),
    })
    expect(relations).toEqual([])
  })

  it('refuses records of another scope and the record itself', async () => {
    const stored = await create(app, buildClaim('here', { scope: 'team' }))
    const foreign = await create(app, buildClaim('there', { scope: 'others' }))
    const general = await create(app, buildClaim('everywhere'))
    const contest = (ref: string) => revise(app, 'contest', stored.id, { contesting_ref: ref })
    expectProblem(await contest(foreign.id), 422, 'scope_mismatch')
    expectProblem(await contest(stored.id.toUpperCase()), 422, 'validation_failed')
    expect((await contest(general.id)).status).toBe(200)
  })
})

describe('POST /v1/records/{id}/retract', () => {
  it('withdraws a record without deleting it', async () => {
    const stored = await create(app, buildClaim('a mistake'))
    const { status, body, headers } = await revise(app, 'retract', stored.id)
    expect([status, headers.get('etag')]).toEqual([200, '"2"'])
    expect(body).toMatchObject({
      status: 'invalidated',
      salience: 0,
      payload: { revision: { status: 'retracted' } },
    })
    expect(await read(app, stored.id)).toEqual(body)
    expect((await readAuditLog(app, stored.id)).at(-1)).toEqual([
      'revise',
      auditFields.actor,
      auditFields.rationale,
    ])
    const reinforced = await revise(app, 'reinforce', stored.id)
    expectProblem(reinforced, 409, 'record_retracted')
  })
})
