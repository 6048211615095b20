import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import {
  capture,
  captureFact,
  forget,
  pickCreated,
  postCapture,
  range,
  triple,
} from '../support/requests/capture-requests.ts'
import { type Body, read } from '../support/requests/record-requests.ts'
import { mergeRecords, revise } from '../support/requests/revision-requests.ts'
import { type Answer, startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the storming tests' } })
afterAll(() => app.close())

const post = (path: string, body: object): Promise<Answer> => app.request('POST', path, { body })
const reason = { actor: 'a', rationale: 'r' }

describe('captures while other clients revise, merge, forget and erase the same records', () => {
  it('succeed and leave no edge that leads only to a merged entity', async () => {
    for (const seed of [5, 6, 7]) {
      const scope = `amid ${seed}`
      const stored = await Promise.all(
        ['linux', 'windows', 'hurd'].map((object) =>
          captureFact(app, triple(object, { revision_policy: 'fork', user: ['A', 'B', 'C', 'D'] }), {
            scope,
          }),
        ),
      )
      const facts: string[] = stored.map(({ fact }) => fact.record_id)
      const entities: string[] = stored.flatMap((each) => pickCreated(each, 'entity').map(({ id }) => id))
      const object = fc.constantFrom('linux', 'windows', 'hurd', 'minix')
      const input = fc.tuple(object, fc.shuffledSubarray(['A', 'B', 'C', 'D']))
      const captures = fc.sample(input, { seed, numRuns: 40 }).map(
        ([value, user]) =>
          () =>
            postCapture(app, triple(value, { user }), { scope }),
      )
      const [one = '', two = '', three = ''] = entities
      const [first = '', second = '', third = ''] = facts
      const others = [
        () => post(`/v1/entities/${one}/merge`, { source_ids: [two], ...reason }),
        () => post(`/v1/entities/${two}/merge`, { source_ids: [three], ...reason }),
        () => revise(app, 'retract', first),
        () => mergeRecords(app, [second, third], { type: 'semantic', payload: mergedFact }),
        () => app.request('DELETE', `/v1/records/${entities[3]}?actor=a&rationale=r`),
        () => post(`/v1/records/${entities[4]}/erase`, reason),
      ]
      // One change for every six captures.
      const mixed = captures.flatMap((each, index) => {
        const change = index % 6 === 0 ? others[index / 6] : undefined
        return change ? [each, change] : [each]
      })
      const answers = await Promise.all(mixed.map((each) => each()))
      const failed = answers.filter(({ status }) => ![200, 201, 409, 410].includes(status))
      expect(failed.map(({ text }) => text)).toEqual([])
      const captured = answers.filter(({ body }) => 'primary_record' in (body as Body))
      expect(captured).toHaveLength(40)
      // Every record that is linked with a merged entity is also linked with its target.
      const { rows } = await sql<{ id: string }>`
        select e.source_id as id from relations as e
        join records as r on r.id = e.target_id and r.status = 'merged' and r.scope = ${scope}
        join relations as successor on successor.source_id = r.id and successor.predicate = 'superseded_by'
        where e.predicate in ('mentions_entity', 'subject_entity') and not exists (
          select from relations as other
          where other.source_id = e.source_id and other.predicate = e.predicate and other.target_id = successor.target_id
        )
      `.execute(app.db)
      expect(rows).toEqual([])
    }
  }, 60_000)

  it('do not reactivate a retracted fact or a forgotten task, whenever the change commits', async () => {
    for (const n of range(10)) {
      const scope = `moment ${n}`
      const { fact } = await captureFact(app, triple('linux'), { scope })
      const task = await capture(app, { thread_id: 't' }, { scope, source_kind: 'working_state' })
      const [, again, , next] = await Promise.all([
        revise(app, 'retract', fact.record_id),
        captureFact(app, triple('linux'), { scope }),
        forget(app, task.primary_record.id),
        capture(app, { thread_id: 't', state: 'done' }, { scope, source_kind: 'working_state' }),
      ])
      expect(['confirmed', 'challenged']).toContain(again.fact.outcome)
      expect((await read(app, fact.record_id)).status).toBe('invalidated')
      const later = await capture(app, { thread_id: 't' }, { scope, source_kind: 'working_state' })
      expect(later.primary_record.id).not.toBe(task.primary_record.id)
      if (next.primary_record.id !== task.primary_record.id) {
        expect(later.primary_record.id).toBe(next.primary_record.id)
      }
    }
  }, 60_000)
})

const mergedFact = {
  kind: 'semantic',
  ...triple(['windows', 'hurd']),
  validity: { mode: 'global' },
  evidence: [{ source_type: 'human', source_id: 'me', timestamp: '2026-01-01T00:00:00Z' }],
}

describe('a captured record that moves to another scope', () => {
  it('is recognised in the new scope by thread, name and content, and no longer in the old one', async () => {
    const options = { scope: 'from' }
    const captured = await captureFact(app, triple('linux', { ref: 'moved', user: 'Mona' }), options)
    const task = await capture(app, { thread_id: 'moved' }, { ...options, source_kind: 'working_state' })
    const ids: string[] = [...captured.created_records, task.primary_record].map(({ id }: Body) => id)
    for (const id of ids) {
      const moved = await app.request('PATCH', `/v1/records/${id}`, { body: { scope: 'to' } })
      expect(moved.status, moved.text).toBe(200)
    }
    for (const [scope, isKnown] of [
      ['from', false],
      ['to', true],
    ] as const) {
      const repeated = await captureFact(app, triple('linux', { user: 'Mona' }), { scope })
      expect(ids.includes(repeated.fact.record_id)).toBe(isKnown)
      expect(repeated.fact.outcome).toBe(isKnown ? 'confirmed' : 'created')
      expect(ids.includes(repeated.primary_record.interpretation.mentions[0].canonical_entity_id)).toBe(
        isKnown,
      )
      const next = await capture(app, { thread_id: 'moved' }, { scope, source_kind: 'working_state' })
      expect(ids.includes(next.primary_record.id)).toBe(isKnown)
    }
  })

  it('can move to a scope that already has the same thread, name and reference', async () => {
    const captureIn = async (scope: string) => {
      const captured = await captureFact(app, triple('linux', { ref: 'twin', user: 'Nora' }), { scope })
      const task = await capture(app, { thread_id: 'twin' }, { scope, source_kind: 'working_state' })
      return [...captured.created_records, task.primary_record].map(({ id }: Body) => id)
    }
    const one = await captureIn('twin one')
    const two = await captureIn('twin two')
    for (const id of one) {
      const moved = await app.request('PATCH', `/v1/records/${id}`, { body: { scope: 'twin two' } })
      expect(moved.status, moved.text).toBe(200)
    }
    const again = await captureFact(app, triple('linux', { ref: 'twin', user: 'Nora' }), {
      scope: 'twin two',
    })
    expect([...one, ...two]).toContain(again.primary_record.id)
    const later = await captureFact(app, triple('linux', { user: 'Nora' }), { scope: 'twin two' })
    expect(later.fact.outcome).toBe('confirmed')
    expect(pickCreated(later, 'entity')).toEqual([])
    const task = await capture(
      app,
      { thread_id: 'twin' },
      { scope: 'twin two', source_kind: 'working_state' },
    )
    expect(task.created_records).toEqual([])
  })

  it('is recognised by the new name of its thread after a patch', async () => {
    const more = { scope: 'renamed', source_kind: 'working_state' }
    const { primary_record: task } = await capture(app, { thread_id: 'old' }, more)
    const body = { payload: { thread_id: 'new' } }
    const patched = await app.request('PATCH', `/v1/records/${task.id}`, { body })
    expect(patched.status, patched.text).toBe(200)
    expect((await capture(app, { thread_id: 'new' }, more)).primary_record.id).toBe(task.id)
    expect((await capture(app, { thread_id: 'old' }, more)).primary_record.id).not.toBe(task.id)
  })
})
