import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, expectProblem, payloads, read } from '../support/requests/record-requests.ts'
import { buildClaim, buildPlain, revise, successors } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the revising tests' } })
afterAll(() => app.close())

describe('a record that cannot be revised', () => {
  const calls: [string, object][] = [
    ['supersede', { record: buildClaim('next') }],
    ['fork', { record: buildClaim('next') }],
    ['contest', { contesting_ref: 'a photograph' }],
    ['uncontest', {}],
    ['retract', {}],
  ]

  it.each(calls)('refuses to %s a superseded, retracted or forgotten record', async (call, body) => {
    const superseded = await create(app, buildClaim('first'))
    const { record } = (await revise(app, 'supersede', superseded.id, { record: buildClaim('second') }))
      .body as Body
    const refusal = expectProblem(await revise(app, call, superseded.id, body), 409, 'already_superseded')
    expect(refusal.superseded_by).toBe(record.id)
    await revise(app, 'retract', record.id)
    expectProblem(await revise(app, call, record.id, body), 409, 'already_retracted')
    await app.request('DELETE', `/v1/records/${record.id}?actor=a&rationale=b`)
    expectProblem(await revise(app, call, record.id, body), 410, 'record_forgotten')
    expect(
      expectProblem(await revise(app, call, superseded.id, body), 409, 'already_superseded'),
    ).not.toHaveProperty('superseded_by')
  })

  it.each(calls)('refuses to %s an episodic or working record', async (call, body) => {
    const episode = await create(app, buildPlain('episodic'))
    const task = await create(app, buildPlain('working'))
    expectProblem(await revise(app, call, episode.id, body), 409, 'episodic_immutable')
    expectProblem(await revise(app, call, task.id, body), 409, 'not_revisable')
  })
})

describe('the new record of a revision', () => {
  it('has the type of the old one, and needs evidence when it is a fact', async () => {
    const stored = await create(app, buildClaim('Go'))
    const supersede = (record: object) => revise(app, 'supersede', stored.id, { record })
    expectProblem(await supersede(successors['entity'] ?? {}), 409, 'type_mismatch')
    const bare = { type: 'semantic', payload: payloads.semantic }
    expectProblem(await supersede(bare), 422, 'evidence_required')
    expectProblem(
      await supersede({ ...bare, payload: { ...bare.payload, evidence: [] } }),
      422,
      'evidence_required',
    )
    expectProblem(await revise(app, 'fork', stored.id, { record: bare }), 422, 'evidence_required')
    const sourced = { ...bare, provenance: { sources: [{ kind: 'event', ref: 'e' }] } }
    expect((await supersede(sourced)).status).toBe(201)
  })

  it('is validated like any other, with pointers into the body of the request', async () => {
    const stored = await create(app, buildClaim('Go'))
    const broken = { ...buildClaim('x'), created_at: '2999-01-01T00:00:00.000Z' }
    const problem = await revise(app, 'supersede', stored.id, { record: broken })
    expect(expectProblem(problem, 422, 'validation_failed').errors[0].pointer).toBe('/record/created_at')
    const loose = buildClaim('x', {
      relations: [{ predicate: 'p', target_id: '0197b9a0-0000-7000-8000-00000000ffff' }],
    })
    expectProblem(await revise(app, 'supersede', stored.id, { record: loose }), 404, 'record_not_found')
    expectProblem(
      await revise(app, 'supersede', stored.id, { record: buildClaim('x', { id: stored.id }) }),
      409,
      'record_exists',
    )
    expectProblem(
      await app.request('POST', `/v1/records/${stored.id}/supersede`, { body: { record: buildClaim('x') } }),
      422,
      'validation_failed',
    )
    expect(await read(app, stored.id)).toEqual(stored)
  })

  it('is refused when its content was erased', async () => {
    const secret = await create(app, buildClaim('a secret'))
    await revise(app, 'erase', secret.id)
    const stored = await create(app, buildClaim('no secret'))
    expectProblem(
      await revise(app, 'supersede', stored.id, { record: buildClaim('a secret') }),
      409,
      'erased_content',
    )
    expectProblem(
      await revise(app, 'fork', stored.id, { record: buildClaim('A  secret') }),
      409,
      'erased_content',
    )
    expect(await read(app, stored.id)).toEqual(stored)
  })

  it('cannot be created as retracted', async () => {
    const stored = await create(app, buildClaim('Go'))
    const input = buildClaim('Odin')
    const record = { ...input, payload: { ...input.payload, revision: { status: 'retracted' } } }
    const { body } = await revise(app, 'supersede', stored.id, { record })
    expect((body as Body).record.payload.revision).toEqual({ supersedes: stored.id, status: 'active' })
  })
})
