import { afterAll, describe, expect, it } from 'vitest'
import {
  capture,
  countRecordsOfType,
  countTableRows,
  forget,
  postCapture,
  range,
} from '../support/requests/capture-requests.ts'
import { type Body, create, expectProblem, pointersOf, read } from '../support/requests/record-requests.ts'
import { type RequestOptions, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const report = (content: object, more: object = {}, options: RequestOptions = {}): Promise<Body> =>
  capture(app, content, { source_kind: 'working_state', ...more }, options)

const whole = {
  thread_id: 'whole',
  state: 'planning',
  next_actions: ['a', 'b'],
  open_questions: ['q'],
  active_constraints: [{ type: 'budget', key: 'tokens', value: 7, required: true }],
  context_summary: 'As it began.',
}

describe('POST /v1/capture with a working state', () => {
  it('creates a working record with every field of the report', async () => {
    const { primary_record: task, created_records: created } = await report({ ...whole, mood: 'calm' })
    expect(task).toMatchObject({
      type: 'working',
      payload: {
        ...whole,
        active_constraints: [
          ...whole.active_constraints,
          { type: 'captured', key: 'content', value: { mood: 'calm' }, required: false },
        ],
      },
    })
    expect(created).toEqual([task])
  })

  it('keeps each of two items, also if the first is a name of secrets', async () => {
    const lists = { next_actions: ['auth', 'billing'], open_questions: ['token', 'sk-1234567890ABCDEFGH'] }
    const { primary_record: task } = await report({ thread_id: 'pairs', ...lists })
    expect(task.payload).toMatchObject({ ...lists, open_questions: ['token', '<secret string>'] })
  })

  it('updates the record of the thread in place and audits the changes', async () => {
    const first = await report({ ...whole, thread_id: 'placed' })
    app.clock.advance(2 * 3_600_000)
    const { primary_record: task, created_records: created } = await report(
      { thread_id: 'placed', state: 'blocked', open_questions: [] },
      { source: 'agent-2', tags: ['urgent'], timestamp: '2026-03-01T00:00:00Z' },
    )
    expect(created).toEqual([])
    expect(task).toMatchObject({
      id: first.primary_record.id,
      version: 2,
      salience: 1,
      tags: ['urgent'],
      payload: { ...whole, thread_id: 'placed', state: 'blocked', open_questions: [] },
    })
    expect(task.audit_log.at(-1)).toMatchObject({
      action: 'revise',
      actor: 'root',
      rationale: 'captured',
      changes: { 'payload.state': ['planning', 'blocked'], 'payload.open_questions': [['q'], []] },
    })
    expect(Object.keys(task.audit_log.at(-1).changes)).toHaveLength(2)
    expect(task.provenance.sources.map(({ created_by }: Body) => created_by)).toEqual(['agent-1', 'agent-2'])
    expect(task.lifecycle.last_reinforced_at).toBe(app.clock.now().toISOString())
    expect(task.created_at).toBe(first.primary_record.created_at)
    expect(await read(app, task.id)).toEqual(task)
  })

  it('keeps fields that a later report leaves out', async () => {
    await report({ ...whole, thread_id: 'kept', mood: 'calm' }, { context: { turn: 1 } })
    const next = await report(
      { thread_id: 'kept', state: null, next_actions: null },
      { context: { turn: 2 } },
    )
    expect(next.primary_record.payload).toEqual({
      ...whole,
      kind: 'working',
      thread_id: 'kept',
      active_constraints: [
        ...whole.active_constraints,
        { type: 'captured', key: 'content', value: { state: null, next_actions: null }, required: false },
        { type: 'captured', key: 'context', value: { turn: 2 }, required: false },
      ],
    })
    const done = await report({ thread_id: 'kept', state: 'done', active_constraints: [], next_actions: [] })
    expect(done.primary_record.payload).toMatchObject({
      state: 'done',
      active_constraints: [],
      next_actions: [],
      open_questions: ['q'],
    })
    expect(
      (await report({ thread_id: 'kept' }, { summary: 'In a word.' })).primary_record.payload,
    ).toMatchObject({
      context_summary: 'In a word.',
    })
  })

  it('keeps one task for each scope and exact thread id', async () => {
    const ids = new Set<string>()
    for (const scope of [undefined, 'one', 'two']) {
      for (const thread_id of ['apart', 'Apart', 'apart ']) {
        const more = scope ? { scope } : {}
        ids.add((await report({ thread_id }, more)).primary_record.id)
        ids.add((await report({ thread_id }, more)).primary_record.id)
      }
    }
    expect(ids.size).toBe(9)
  })

  it('continues a task with reports of equal or lower sensitivity, and keeps the sensitivity of the task', async () => {
    const sensitivities: string[] = []
    const ids = new Set<string>()
    for (const sensitivity of ['low', 'high', 'medium', 'public', undefined]) {
      const { primary_record: task } = await report(
        { thread_id: 'levels' },
        sensitivity ? { sensitivity } : {},
      )
      sensitivities.push(task.sensitivity)
      ids.add(task.id)
    }
    expect(sensitivities).toEqual(['low', 'high', 'high', 'low', 'low'])
    expect(ids.size).toBe(2)
  })

  it('creates a separate task for a report of higher sensitivity', async () => {
    const { primary_record: task } = await report({ ...whole, thread_id: 'beside' })
    const low = await app.issueKey(['records:read', 'records:write'], { max_sensitivity: 'low' })
    const before = await read(app, task.id, { key: low })
    const content = { thread_id: 'beside', state: 'blocked', next_actions: ['call the lawyer'] }
    for (const sensitivity of ['high', 'hyper']) {
      const { primary_record: own, edges } = await report(content, { sensitivity })
      expect(own).toMatchObject({ sensitivity, version: 1, payload: { ...content, open_questions: [] } })
      expect(own.id).not.toBe(task.id)
      expect(edges[0]).toMatchObject({ source_id: own.id, predicate: 'references_record' })
    }
    expect(await read(app, task.id, { key: low })).toEqual(before)
    const { primary_record: next } = await report({ thread_id: 'beside', state: 'done' }, {}, { key: low })
    expect(next).toMatchObject({ id: task.id, version: 2, payload: { state: 'done' } })
  })

  it('leaves a task of another scope alone', async () => {
    const { primary_record: task } = await report({ thread_id: 'foreign' }, { scope: 'ours' })
    const before = await read(app, task.id)
    for (const more of [{ scope: 'theirs' }, {}, { scope: 'theirs', sensitivity: 'hyper' }]) {
      const { primary_record: other } = await report({ thread_id: 'foreign', state: 'done' }, more)
      expect(other.id).not.toBe(task.id)
    }
    expect(await read(app, task.id)).toEqual(before)
  })

  it('continues the task that the key sees, not the hidden task of the same thread', async () => {
    const low = await app.issueKey(['records:read', 'records:write'], { max_sensitivity: 'low' })
    const { primary_record: open } = await report({ thread_id: 'nearby' }, { sensitivity: 'public' })
    await report({ thread_id: 'nearby' }, { sensitivity: 'medium' })
    const { primary_record: own } = await report({ thread_id: 'nearby' }, {}, { key: low })
    expect(own).toMatchObject({ sensitivity: 'low', version: 1 })
    const less = { sensitivity: 'public' }
    const { primary_record: next } = await report({ thread_id: 'nearby' }, less, { key: low })
    expect(next).toMatchObject({ id: open.id, version: 2 })
  })

  it.each([true, false])(
    'keeps one task for each sensitivity when reports race (task exists: %s)',
    async (exists) => {
      const thread_id = `raced ${exists}`
      if (exists) await report({ thread_id })
      const levels = range(16).map((n) => ({ sensitivity: n % 2 === 0 ? 'low' : 'high' }))
      const reports = await Promise.all(levels.map((level) => report({ thread_id }, level)))
      const tasks = reports.map(({ primary_record: task }) => `${task.sensitivity} ${task.id}`)
      const found = [...new Set(tasks)].map((task) => task.split(' ')[0]).sort()
      // A low report that arrives right after a high one continues the high task.
      expect(exists ? [['high', 'low']] : [['high', 'low'], ['high']]).toContainEqual(found)
    },
  )

  it('answers a late retry without the content of a task that has become more sensitive', async () => {
    const early = { thread_id: 'retried', ref: 'r-1', state: 'planning' }
    const { primary_record: task } = await report(early)
    const body = { sensitivity: 'high' }
    await app.request('PATCH', `/v1/records/${task.id}`, { body })
    await report({ thread_id: 'retried', ref: 'r-2', state: 'done' }, { sensitivity: 'high' })
    const late = await report(early)
    expect(late).toMatchObject({ deduplicated: true, primary_record: { id: task.id } })
    expect(await read(app, task.id)).toMatchObject({ version: 3, payload: { state: 'done' } })
    const again = await report({ thread_id: 'retried', ref: 'r-2', state: 'done' }, { sensitivity: 'high' })
    expect(again.deduplicated).toBe(true)
  })

  it('continues a task that a client created through POST /v1/records', async () => {
    const payload = { kind: 'working', thread_id: 'by hand', state: 'waiting' }
    const { id } = await create(app, { type: 'working', payload })
    const { primary_record: task } = await report({ thread_id: 'by hand', state: 'executing' })
    expect(task).toMatchObject({ id, version: 2, payload: { state: 'executing' } })
  })

  it('creates a new task after the old one was forgotten', async () => {
    const { primary_record: old } = await report({ thread_id: 'forgotten', next_actions: ['x'] })
    await forget(app, old.id)
    const { primary_record: task } = await report({ thread_id: 'forgotten' })
    expect(task.id).not.toBe(old.id)
    expect(task.payload.next_actions).toEqual([])
  })

  it('refuses a report without a thread or with fields of a wrong type, with pointers', async () => {
    for (const [content, pointers] of [
      ['text', ['/content']],
      [null, ['/content']],
      [[], ['/content']],
      [{}, ['/content/thread_id']],
      [{ thread_id: 7, state: 'asleep' }, ['/content/thread_id', '/content/state']],
      [{ thread_id: 't', next_actions: 'x' }, ['/content/next_actions']],
    ] as const) {
      const answer = await postCapture(app, content, { source_kind: 'working_state' })
      expectProblem(answer, 422, 'validation_failed')
      expect(pointersOf(answer)).toEqual(pointers)
    }
  })

  it('keeps one task when fifty reports start a thread at once, and audits each report', async () => {
    const before = await countTableRows(app)
    const answers = await Promise.all(
      range(50).map((n) =>
        postCapture(
          app,
          { thread_id: 'storm', next_actions: [`step ${n}`], ref: `storm ${n}` },
          { source_kind: 'working_state', scope: 'storm' },
        ),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    const ids = new Set(answers.map(({ body }) => (body as Body).primary_record.id))
    expect(ids.size).toBe(1)
    expect(await countRecordsOfType(app, 'working', 'storm')).toBe(1)
    const [id = ''] = ids
    expect(await read(app, id)).toMatchObject({ version: 50 })
    const after = await countTableRows(app)
    expect((after['audit_entries'] ?? 0) - (before['audit_entries'] ?? 0)).toBe(50)
  })
})
