import { describe, expect, it } from 'vitest'
import { writeSearchableText } from '../../../src/domain/payloads/searchable-text.ts'
import {
  buildCapture,
  listFaultPointers,
  planCaptureInput,
  planTask,
} from '../../support/stores/planned-captures.ts'

const id = '0197b9a0-0000-7000-8000-000000000001'

describe('a working state', () => {
  it('becomes the working record of its thread', () => {
    const state = {
      thread_id: 'session-001',
      state: 'blocked',
      active_constraints: [{ type: 'time', key: 'until', value: 'noon', required: true }],
      next_actions: ['run tests'],
      open_questions: ['why?'],
      context_summary: 'Refactoring',
    }
    const plan = planTask({ ...state, ref: 'turn-1' })
    expect(plan).toMatchObject({ ref: 'turn-1', source: { kind: 'event', ref: 'turn-1' } })
    expect(plan.payload).toEqual({ kind: 'working', ...state })
  })

  it('is executing by default and takes its summary from the capture', () => {
    expect(planTask({ thread_id: 't' }, { summary: 'In progress' }).payload).toEqual({
      kind: 'working',
      thread_id: 't',
      state: 'executing',
      context_summary: 'In progress',
      active_constraints: [],
      next_actions: [],
      open_questions: [],
    })
  })

  it('keeps unknown fields as constraints that are not required', () => {
    const { payload } = planTask(
      { thread_id: 't', progress: 0.5, state: null },
      { context: { branch: 'main' }, reason_to_remember: 'resume' },
    )
    expect(payload.active_constraints).toEqual([
      { type: 'captured', key: 'content', value: { progress: 0.5, state: null }, required: false },
      { type: 'captured', key: 'context', value: { branch: 'main' }, required: false },
      { type: 'captured', key: 'reason_to_remember', value: 'resume', required: false },
    ])
    expect(writeSearchableText(payload, [])).toContain('resume')
  })

  it.each([
    ['idle', '/content'],
    [null, '/content'],
    [[], '/content'],
    [{}, '/content/thread_id'],
    [{ thread_id: '' }, '/content/thread_id'],
    [{ thread_id: 7 }, '/content/thread_id'],
    [{ thread_id: 't', state: 'asleep' }, '/content/state'],
    [{ thread_id: 't', next_actions: 'run tests' }, '/content/next_actions'],
    [{ thread_id: 't', open_questions: [1] }, '/content/open_questions/0'],
    [
      { thread_id: 't', active_constraints: [{ type: 'a', key: 'b', value: 1 }] },
      '/content/active_constraints/0/required',
    ],
  ])('of %j is refused at %s', (content, pointer) => {
    expect(listFaultPointers(content, { source_kind: 'working_state' })).toEqual([pointer])
  })
})

describe('an outcome', () => {
  const source_kind = 'outcome'

  it('names its episode and the result, and keeps other fields', () => {
    const content = { target_id: id.toUpperCase(), outcome: 'partial', ref: 'run-9', failed: 2 }
    const plan = planCaptureInput(
      buildCapture(content, { source_kind, reason_to_remember: 'two tests fail' }),
    )
    expect(plan).toMatchObject({
      kind: 'outcome',
      ref: 'run-9',
      source: { kind: 'outcome', ref: 'run-9' },
      report: { target_id: id, outcome: 'partial', rationale: 'two tests fail' },
    })
    expect(plan.kind === 'outcome' && plan.report.kept).toEqual({
      content: { failed: 2 },
      reason_to_remember: 'two tests fail',
    })
  })

  it.each([
    ['success', ['/content']],
    [{}, ['/content/target_id', '/content/outcome']],
    [{ target_id: 'x', outcome: 'success' }, ['/content/target_id']],
    [{ target_id: id, outcome: 'great' }, ['/content/outcome']],
    [{ target_id: id, outcome: 'success', rationale: 7 }, ['/content/rationale']],
  ])('of %j is refused at %j', (content, expected) => {
    expect(listFaultPointers(content, { source_kind })).toEqual(expected)
  })
})
