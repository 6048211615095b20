import { afterAll, describe, expect, it } from 'vitest'
import { type Body, create, expectProblem, payloads, read } from '../support/requests/record-requests.ts'
import { auditFields, buildClaim, mergeRecords, revise } from '../support/requests/revision-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
const key = await app.issueKey(['records:read', 'records:write'], {
  scopes: ['mine'],
  max_sensitivity: 'low',
})
afterAll(() => app.close())

const stranger = '0197b9a0-0000-7000-8000-00000000ffff'
const calls: [string, object][] = [
  ['supersede', { record: buildClaim('next', { scope: 'mine' }) }],
  ['fork', { record: buildClaim('next', { scope: 'mine' }) }],
  ['contest', { contesting_ref: 'a photograph' }],
  ['uncontest', {}],
  ['retract', {}],
]

describe('revision calls on a record', () => {
  it.each(calls)('refuse to %s a record that the key does not see', async (call, body) => {
    const theirs = await create(app, buildClaim('theirs', { scope: 'theirs' }))
    const secret = await create(app, buildClaim('secret', { scope: 'mine', sensitivity: 'medium' }))
    const hidden = await create(app, buildClaim('hidden', { scope: 'mine', sensitivity: 'high' }))
    expectProblem(await revise(app, call, theirs.id, body, { key }), 404, 'record_not_found')
    expectProblem(await revise(app, call, hidden.id, body, { key }), 404, 'record_not_found')
    expectProblem(await revise(app, call, secret.id, body, { key }), 403, 'above_ceiling')
    const reader = await app.issueKey(['records:read', 'lifecycle:write'])
    expectProblem(await revise(app, call, theirs.id, body, { key: reader }), 403, 'forbidden')
  })

  it.each(calls)('refuse to %s with another version in If-Match', async (call, body) => {
    const { id } = await create(app, buildClaim('versioned', { scope: 'mine' }))
    const at = (etag: string) => ({ headers: { 'if-match': etag } })
    expectProblem(await revise(app, call, id, body, at('"7"')), 412, 'version_mismatch')
    expect((await revise(app, call, id, body, at('"1"'))).status).toBeLessThan(300)
  })

  it.each(calls)('%s once under one Idempotency-Key', async (call, body) => {
    const { id } = await create(app, buildClaim('once', { scope: 'mine' }))
    const headers = { 'idempotency-key': `${call}-${id}` }
    const first = await revise(app, call, id, body, { headers })
    const again = await revise(app, call, id, body, { headers })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expectProblem(
      await revise(app, call, id, { ...body, actor: 'another' }, { headers }),
      422,
      'idempotency_key_reused',
    )
  })

  it.each(calls)(
    'answer a key without read permission with the version only after %s',
    async (call, body) => {
      const writer = await app.issueKey(['records:write'], { scopes: ['mine'] })
      const { id } = await create(app, buildClaim('unread', { scope: 'mine' }))
      const answer = (await revise(app, call, id, body, { key: writer })).body as Body
      const createsRecord = call === 'supersede' || call === 'fork'
      expect(answer).toEqual(
        createsRecord
          ? { record: { id: expect.any(String), version: 1 }, sources: [{ id, version: 2 }] }
          : { id, version: call === 'uncontest' ? 1 : 2 },
      )
    },
  )
})

describe('a merge with a limited key', () => {
  it('requires records that the key sees completely', async () => {
    const mine = await create(app, buildClaim('mine', { scope: 'mine' }))
    const secret = await create(app, buildClaim('secret', { scope: 'mine', sensitivity: 'medium' }))
    const theirs = await create(app, buildClaim('theirs', { scope: 'theirs' }))
    const into = buildClaim('one', { scope: 'mine' })
    expectProblem(await mergeRecords(app, [mine.id, secret.id], into, { key }), 403, 'above_ceiling')
    expectProblem(await mergeRecords(app, [mine.id, theirs.id], into, { key }), 404, 'record_not_found')
    expect(await read(app, mine.id)).toEqual(mine)
  })

  it('carries edges to hidden records without revealing them', async () => {
    const one = await create(app, buildClaim('1', { scope: 'mine' }))
    const two = await create(app, buildClaim('2', { scope: 'mine' }))
    const relations = [{ predicate: 'supports', target_id: one.id }]
    const hidden = await create(app, buildClaim('unseen', { scope: 'theirs', relations }))
    const answer = await mergeRecords(app, [one.id, two.id], buildClaim('both'), { key })
    expect(answer.text).not.toContain(hidden.id)
    const { id } = (answer.body as Body).record
    expect((await read(app, id)).relations).toContainEqual(
      expect.objectContaining({ predicate: 'supported_by', target_id: hidden.id }),
    )
  })

  it('takes effect once under an Idempotency-Key', async () => {
    const ids = [(await create(app, buildClaim('1'))).id, (await create(app, buildClaim('2'))).id]
    const headers = { 'idempotency-key': 'a-merge', 'if-match': '"1"' }
    const first = await mergeRecords(app, ids, buildClaim('one'), { headers })
    expect(first.status).toBe(201)
    expect((await mergeRecords(app, ids, buildClaim('one'), { headers })).text).toBe(first.text)
  })

  it('answers a key without read permission with versions only', async () => {
    const ids = [(await create(app, buildClaim('1'))).id, (await create(app, buildClaim('2'))).id]
    const { body } = await mergeRecords(app, ids, buildClaim('one'), {
      key: await app.issueKey(['records:write']),
    })
    expect(body).toEqual({
      record: { id: expect.any(String), version: 1 },
      sources: ids.map((id) => ({ id, version: 2 })),
    })
  })
})

describe('the record that a revision creates', () => {
  const supersede = (id: string, record: object, options: RequestOptions = {}) =>
    revise(app, 'supersede', id, { record }, options)

  it('stays in the scope of the old one', async () => {
    const { id } = await create(app, buildClaim('old', { scope: 'mine' }))
    const both = await app.issueKey(['records:read', 'records:write'], { scopes: ['mine', 'yours'] })
    expectProblem(await supersede(id, buildClaim('x', { scope: 'theirs' }), { key }), 403, 'outside_trust')
    expectProblem(
      await supersede(id, buildClaim('x', { scope: 'yours' }), { key: both }),
      422,
      'scope_mismatch',
    )
    const { body } = await supersede(id, buildClaim('x'), { key: both })
    expect((body as Body).record.scope).toBe('mine')
  })

  it('may have no scope only with a key of all scopes', async () => {
    const { id } = await create(app, buildClaim('general'))
    expectProblem(await supersede(id, buildClaim('x'), { key }), 403, 'outside_trust')
    expectProblem(await supersede(id, buildClaim('x', { scope: 'mine' }), { key }), 403, 'outside_trust')
    expectProblem(await supersede(id, buildClaim('x', { scope: 'mine' })), 422, 'scope_mismatch')
    const { body } = await supersede(id, buildClaim('x'))
    expect((body as Body).record).not.toHaveProperty('scope')
  })

  it('has at least the sensitivity of the old one, unless an admin lowers it', async () => {
    const more = { scopes: ['mine'], max_sensitivity: 'medium' }
    const writer = await app.issueKey(['records:read', 'records:write'], more)
    const { id } = await create(app, buildClaim('old', { scope: 'mine', sensitivity: 'medium' }))
    const buildRecord = (sensitivity: string) => buildClaim('x', { sensitivity })
    const refusal = await supersede(id, buildRecord('low'), { key: writer })
    expect(expectProblem(refusal, 422, 'sensitivity_lowered').errors[0].pointer).toBe('/record/sensitivity')
    expectProblem(await supersede(id, buildRecord('high'), { key: writer }), 403, 'outside_trust')
    const { body } = await supersede(id, buildRecord('low'))
    expect((body as Body).record.sensitivity).toBe('low')
    const two = await create(app, buildClaim('two', { scope: 'mine', sensitivity: 'medium' }))
    const low = await create(app, buildClaim('low', { scope: 'mine', sensitivity: 'low' }))
    expectProblem(
      await mergeRecords(app, [low.id, two.id], buildRecord('low'), { key: writer }),
      422,
      'sensitivity_lowered',
    )
  })

  it('may not claim a more trusted source type than the key', async () => {
    const { id } = await create(app, buildClaim('old', { scope: 'mine' }))
    const record = buildClaim('x', { source_type: 'human' })
    const refusal = expectProblem(await supersede(id, record, { key }), 422, 'validation_failed')
    expect(refusal.errors[0].pointer).toBe('/record/source_type')
  })
})

describe('a key that does not see the successor of a record', () => {
  it.each(['supersede', 'merge'])('learns nothing about it after a %s', async (call) => {
    const old = await create(app, buildClaim('old', { scope: 'mine' }))
    const other = await create(app, buildClaim('other', { scope: 'mine' }))
    const record = buildClaim('new', { sensitivity: 'high' })
    const answer =
      call === 'merge'
        ? await mergeRecords(app, [old.id, other.id], record)
        : await revise(app, 'supersede', old.id, { record })
    const { id } = (answer.body as Body).record
    const seen = await Promise.all(
      ['', '/audit', '/relations', '/lineage', '/status-history', '/explain'].map((view) =>
        app.request('GET', `/v1/records/${old.id}${view}`, { key }),
      ),
    )
    expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    const list = await app.request('GET', '/v1/records?scope=mine&limit=500', { key })
    const refusal = await revise(app, 'retract', old.id, {}, { key })
    expect(expectProblem(refusal, 409, 'already_superseded')).not.toHaveProperty('superseded_by')
    for (const { text } of [...seen, list, refusal]) expect(text).not.toContain(id)
    expect(expectProblem(await revise(app, 'retract', old.id), 409, 'already_superseded')).toMatchObject({
      superseded_by: id,
    })
  })
})

describe('the contesting record', () => {
  it('is linked when the key sees it completely, and refused when it sees it redacted', async () => {
    const stored = await create(app, buildClaim('stored', { scope: 'mine' }))
    const secret = await create(app, buildClaim('secret', { scope: 'mine', sensitivity: 'medium' }))
    const theirs = await create(app, buildClaim('theirs', { scope: 'theirs' }))
    const contest = (ref: string) => revise(app, 'contest', stored.id, { contesting_ref: ref }, { key })
    expectProblem(await contest(secret.id), 403, 'above_ceiling')
    expect((await contest(theirs.id)).body).toMatchObject({ relations: [] })
    expect((await contest(stranger)).body).toMatchObject({ relations: [] })
    const { payload } = await read(app, stored.id)
    expect(payload.evidence.slice(1).map((each: Body) => each.source_id)).toEqual([theirs.id, stranger])
  })
})

it('a server that requires If-Match requires it in every revision call except merge', async () => {
  const strict = await startTestApp({ variables: { MEMBRANE_REQUIRE_IF_MATCH: 'true' } })
  const ids = [(await create(strict, buildClaim('1'))).id, (await create(strict, buildClaim('2'))).id]
  for (const [call, body] of calls) {
    expectProblem(await revise(strict, call, ids[0] ?? '', body), 428, 'if_match_required')
  }
  expect((await mergeRecords(strict, ids, buildClaim('one'))).status).toBe(201)
  await strict.close()
})

it('every revision call requires an actor and a rationale', async () => {
  const { id } = await create(app, { type: 'competence', payload: payloads.competence })
  for (const [call, body] of calls) {
    for (const missing of ['actor', 'rationale']) {
      const { [missing]: _, ...half } = { ...auditFields, ...body } as Record<string, unknown>
      const answer = await app.request('POST', `/v1/records/${id}/${call}`, { body: half })
      expect(expectProblem(answer, 422, 'validation_failed').errors).toEqual([
        { pointer: `/${missing}`, message: expect.any(String) },
      ])
    }
  }
})
