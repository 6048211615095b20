import { describe, expect, it } from 'vitest'
import { formatTraceparent, parseTraceparent } from '../../src/kernel/span.ts'
import { formatExposition } from '../../src/metrics/exposition.ts'
import { createInstruments } from '../../src/telemetry/instruments.ts'
import { summariseStatement, traceStatements } from '../../src/telemetry/statements.ts'
import { findValues, parsePrometheusText } from '../support/http/prometheus-text.ts'

describe('a traceparent', () => {
  const context = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: true }

  it('is parsed as it is formatted', () => {
    for (const isSampled of [true, false]) {
      const written = formatTraceparent({ ...context, isSampled })
      expect(parseTraceparent(written)).toEqual({ ...context, isSampled })
    }
  })

  it('of a later version is read as far as it is known, and passed on in our version', () => {
    const later = parseTraceparent(`cc-${context.traceId}-${context.spanId}-03-more`)
    expect(later && formatTraceparent(later)).toBe(`00-${context.traceId}-${context.spanId}-01`)
  })

  it.each([
    '',
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-more`,
    `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01\n`,
  ])('is refused when invalid: %j', (input) => {
    expect(parseTraceparent(input)).toBeUndefined()
  })
})

describe('a traced SQL statement', () => {
  it.each([
    ['select "id" from "api_keys" where "id" = $1', 'select api_keys'],
    ['\n    with due as (select 1) select * from records as r', 'select records'],
    ['with x as (select 1 from records) insert into audit_entries (a) select 1', 'insert audit_entries'],
    ['with taken as (delete from unembedded where id = $1) select 1 from records', 'delete unembedded'],
    ['update "maintenance_runs" set "status" = $1', 'update maintenance_runs'],
    ['select id from records for update', 'select records'],
    ['begin', 'begin'],
    ['set local lock_timeout = 1', 'statement'],
  ])('is named by its purpose: %j', (sql, summary) => {
    expect(summariseStatement(sql)).toBe(summary)
  })

  it('is recorded without parameters, on one line and of limited length', () => {
    const spans: unknown[] = []
    const trace = traceStatements({
      startSpan: () => {
        throw new Error('nothing begins')
      },
      recordSpan: (name, finished) => void spans.push([name, finished]),
    })
    trace({
      sql: `select a\n  from records where ${'b = $1 or '.repeat(1_000)}`,
      durationMs: 3,
      failure: '23505',
    })
    const [[name, { attributes, ...rest }]] = spans as [[string, { attributes: Record<string, string> }]]
    expect(name).toBe('select records')
    expect(rest).toEqual({ durationMs: 3, failure: '23505' })
    expect(attributes['db.query.text']).toMatch(/^select a from records where b = \$1/)
    expect(attributes['db.query.text']).toHaveLength(2_000)
  })
})

describe('metric series', () => {
  it('remain distinct for any content of their labels', () => {
    const samples = [{ labels: { a: 'x"y\\z\nw' }, value: 1.5 }, { value: Number.POSITIVE_INFINITY }]
    const text = formatExposition([{ name: 'some', type: 'gauge', help: 'Some.', samples }])
    expect(text).toBe('# HELP some Some.\n# TYPE some gauge\nsome{a="x\\"y\\\\z\\nw"} 1.5\nsome +Inf\n')
    expect(parsePrometheusText(text).series).toHaveLength(2)
  })

  it('of a model state its use, its outcome and its cost', async () => {
    const instruments = createInstruments()
    const observe = instruments.observeModel('ingest', { promptPrice: 2, completionPrice: 10 })
    observe({ outcome: 'answered', seconds: 0.3, promptTokens: 1_000, completionTokens: 100 })
    observe({ outcome: 'timeout', seconds: 5, promptTokens: 0, completionTokens: 0 })
    const read = parsePrometheusText(await instruments.render())
    const calls = 'membrane_model_request_duration_seconds_count'
    expect(findValues(read, calls, { use: 'ingest', outcome: 'answered' })).toEqual([1])
    expect(findValues(read, calls, { use: 'ingest', outcome: 'timeout' })).toEqual([1])
    expect(findValues(read, 'membrane_model_tokens_total', { kind: 'prompt' })).toEqual([1_000])
    expect(findValues(read, 'membrane_model_cost_total', { use: 'ingest' })[0]).toBeCloseTo(0.003, 9)
  })
})
