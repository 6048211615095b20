import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { completePayload } from '../../../src/domain/payloads/payloads.ts'
import {
  readTrackRecord,
  type SelectionCandidate,
  scoreCandidate,
  selectProcedure,
} from '../../../src/retrieval/selection.ts'

const now = new Date('2026-03-31T00:00:00.000Z')
const threshold = 0.7
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

function candidate(id: string, changes: Partial<SelectionCandidate> = {}): SelectionCandidate {
  return { id, applicability: null, success_rate: null, last_used_at: null, ...changes }
}

describe('the score of a procedure', () => {
  it.each([
    [{ applicability: 1, success_rate: 1, last_used_at: now }, 1],
    [{ applicability: 0, success_rate: 0, last_used_at: daysAgo(30) }, 0.5 / 3],
    [{ applicability: 0.9, success_rate: 0.6, last_used_at: daysAgo(60) }, (0.9 + 0.6 + 0.25) / 3],
    [{ applicability: 1, success_rate: 1, last_used_at: daysAgo(-5) }, 1],
    [{}, 0.5],
    [{ applicability: 0.8 }, 0.6],
  ])('of %o is %d', (changes, expected) => {
    expect(scoreCandidate(candidate('a', changes), now)).toBeCloseTo(expected, 12)
  })
})

describe('the selection of a procedure', () => {
  it('ranks best first with scores, and uses the lead as confidence', () => {
    const selection = selectProcedure(
      [
        candidate('worse', { applicability: 0.2, success_rate: 0.2, last_used_at: daysAgo(30) }),
        candidate('best', { applicability: 1, success_rate: 1, last_used_at: now }),
      ],
      now,
      threshold,
    )
    expect(selection?.selected).toEqual(['best', 'worse'])
    expect(selection?.scores['worse']).toBeCloseTo(0.3, 12)
    expect(selection?.confidence).toBeCloseTo(0.7, 12)
  })

  it('uses the score of a single candidate as its confidence', () => {
    const only = candidate('only', { applicability: 1, success_rate: 1, last_used_at: now })
    expect(selectProcedure([only], now, threshold)).toEqual({
      selected: ['only'],
      confidence: 1,
      needs_more: false,
      scores: { only: 1 },
    })
  })

  it('has no confidence between equals and orders them by id', () => {
    const selection = selectProcedure([candidate('b'), candidate('a')], now, threshold)
    expect(selection).toMatchObject({ selected: ['a', 'b'], confidence: 0, needs_more: true })
  })

  it('has low confidence among bad candidates', () => {
    const long = { applicability: 0, success_rate: 0, last_used_at: new Date(0) }
    const selection = selectProcedure(
      [candidate('a', long), candidate('b', long)],
      new Date('+100000-01-01T00:00:00Z'),
      threshold,
    )
    expect(selection).toMatchObject({ confidence: 0, needs_more: true })
  })

  it.each([
    [0.5, false],
    [0.500_001, true],
  ])('asks for more below a threshold of %d: %s', (least, needsMore) => {
    expect(selectProcedure([candidate('a')], now, least)?.needs_more).toBe(needsMore)
  })

  it('returns null without candidates', () => {
    expect(selectProcedure([], now, threshold)).toBeNull()
  })

  it('does not depend on the order of candidates, and has a confidence from 0 to 1', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true })
    const drawn = fc.uniqueArray(
      fc.record({
        id: fc.uuid(),
        applicability: fc.option(unit),
        success_rate: fc.option(unit),
        last_used_at: fc.option(fc.integer({ min: -10, max: 4_000 }).map(daysAgo)),
      }),
      { minLength: 1, maxLength: 8, selector: ({ id }) => id },
    )
    fc.assert(
      fc.property(drawn, (candidates) => {
        const selection = selectProcedure(candidates, now, threshold)
        expect(selectProcedure(candidates.toReversed(), now, threshold)).toEqual(selection)
        expect(selection?.confidence).toBeGreaterThanOrEqual(0)
        expect(selection?.confidence).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('the track record of a procedure', () => {
  const competence = (performance?: object) =>
    readTrackRecord(
      completePayload({
        kind: 'competence',
        skill_name: 'deploy',
        ...(performance ? { performance } : {}),
      } as never),
    )
  const plan = (metrics?: object) =>
    readTrackRecord(
      completePayload({
        kind: 'plan_graph',
        plan_id: 'p',
        version: '1',
        ...(metrics ? { metrics } : {}),
      } as never),
    )
  const used = '2026-03-01T00:00:00.000Z'

  it('is the success rate and the last use of a competence', () => {
    const performance = { success_count: 3, failure_count: 1, success_rate: 0.75, last_used_at: used }
    expect(competence(performance)).toEqual({ success_rate: 0.75, last_used_at: new Date(used) })
  })

  it('is the share of successful runs and the last run of a plan', () => {
    const metrics = { failure_rate: 0.25, execution_count: 4, last_executed_at: used }
    expect(plan(metrics)).toEqual({ success_rate: 0.75, last_used_at: new Date(used) })
  })

  it('is unknown if it was never tried', () => {
    const unknown = { success_rate: null, last_used_at: null }
    expect(competence()).toEqual(unknown)
    expect(competence({ success_count: 0, failure_count: 0, success_rate: 0 })).toEqual(unknown)
    expect(plan()).toEqual(unknown)
    expect(plan({ execution_count: 9 })).toEqual(unknown)
    expect(plan({ failure_rate: 0, execution_count: 0 })).toEqual(unknown)
  })

  it('has the rate 0 if every attempt failed', () => {
    expect(competence({ success_count: 0, failure_count: 2, success_rate: 0 })?.success_rate).toBe(0)
    expect(plan({ failure_rate: 1, execution_count: 2 })?.success_rate).toBe(0)
  })

  it('does not exist for records that are no procedures', () => {
    const entity = { kind: 'entity', canonical_name: 'Membrane', primary_type: 'Project' } as const
    expect(readTrackRecord(completePayload(entity))).toBeNull()
  })
})
