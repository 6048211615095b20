import { describe, expect, it } from 'vitest'
import {
  buildCapture,
  listFaultPointers,
  planCaptureInput,
  planEpisode,
  planTask,
} from '../../support/stores/planned-captures.ts'

describe('a fact', () => {
  const triple = { subject: 'user', predicate: 'prefers_language', object: 'Go' }
  const fact = { kind: 'semantic', ...triple, validity: { mode: 'global' }, evidence: [] }

  it.each(['observation', 'event', 'agent_turn', 'tool_output'])(
    'is derived from a triple in a capture of kind %s',
    (source_kind) => {
      const plan = planEpisode({ ...triple, tool: 'asked' }, { source_kind })
      expect(plan.fact).toEqual(fact)
      expect(plan.payload.environment?.context?.['captured']).toMatchObject({ content: triple })
    },
  )

  it('may have any object', () => {
    for (const object of [null, 0, '', [], { a: [1] }]) {
      expect(planEpisode({ ...triple, object }).fact).toMatchObject({ object })
    }
  })

  it('has the validity and revision policy of its content', () => {
    const validity = { mode: 'timeboxed', end: '2026-04-01T00:00:00Z' }
    const revised = { validity, revision_policy: 'replace' }
    expect(planEpisode({ ...triple, ...revised }).fact).toEqual({ ...fact, ...revised })
    expect(listFaultPointers({ ...triple, validity: { mode: 'timeboxed', end: 'soon' } })).toEqual([
      '/content/validity/end',
    ])
    expect(listFaultPointers({ ...triple, revision_policy: 'ask' })).toEqual(['/content/revision_policy'])
    expect(listFaultPointers({ text: 'x', validity: 'any' })).toEqual([])
  })

  it('is not derived from an incomplete triple or one whose parts are not names', () => {
    for (const content of [
      { subject: 'a', predicate: 'b' },
      { subject: 'a', object: 1 },
      'user prefers Go',
      [triple],
    ]) {
      expect(planEpisode(content, { source_kind: 'observation' }).fact).toBeUndefined()
    }
    expect(planEpisode({ ...triple, subject: { mail: 'Re: lunch' } }).fact).toBeUndefined()
    expect(planEpisode({ ...triple, subject: ' ' }).fact).toBeUndefined()
  })

  it('is required in an observation', () => {
    const source_kind = 'observation'
    expect(listFaultPointers({ ...triple, subject: 7, predicate: ' ' }, { source_kind })).toEqual([
      '/content/subject',
      '/content/predicate',
    ])
  })

  it('is not derived from a working state or an outcome', () => {
    expect(planTask({ ...triple, thread_id: 't' })).not.toHaveProperty('fact')
    const input = buildCapture(
      { ...triple, target_id: '0197b9a0-0000-7000-8000-000000000001', outcome: 'success' },
      { source_kind: 'outcome' },
    )
    expect(planCaptureInput(input)).not.toHaveProperty('fact')
  })
})
