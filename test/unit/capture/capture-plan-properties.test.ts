import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NewCapture } from '../../../src/capture/capture.schemas.ts'
import { interpretByRule } from '../../../src/capture/interpretation/rule-interpretation.ts'
import { writeCanonicalWording } from '../../../src/domain/identity/tombstone-wording.ts'
import { Interpretation } from '../../../src/domain/interpretation.ts'
import { Payload } from '../../../src/domain/payloads/payloads.ts'
import { writeSearchableText } from '../../../src/domain/payloads/searchable-text.ts'
import { listFaults } from '../../../src/http/validation/validation.ts'
import { countRuns } from '../../support/long-run.ts'
import {
  buildCapture,
  findFaults,
  isPlain,
  listFaultPointers,
  planCaptureInput,
  planEpisode,
  rebuildContent,
} from '../../support/stores/planned-captures.ts'

describe('the summary of a capture', () => {
  it.each([
    ['hello', {}, ''],
    [{ text: 'said' }, { summary: 'told' }, 'told'],
    [{ text: 'said', summary: 'summed up' }, { summary: ' ' }, 'summed up'],
    [{ text: 'said', message: 'sent' }, {}, ''],
    [{ build: { id: 7, ok: true }, ref: 'r' }, {}, ''],
    [{ event_kind: 'deploy' }, {}, ''],
    [{ event_kind: 'deploy', outcome: 'success' }, {}, 'Deploy, outcome success.'],
    [{ event_kind: 'deploy', subject: 'api', ref: 'r', at: '12:00' }, {}, 'Deploy: api.'],
    [
      { tool_name: 'psql', args: { password: 'p' } },
      { source_kind: 'tool_output' },
      'Tool output with psql.',
    ],
    [{ subject: 'user', predicate: 'prefers', object: 'Go' }, {}, 'Event: user prefers Go.'],
    [[1, 'two', null], {}, ''],
    [42, {}, ''],
    [null, {}, ''],
    [{}, {}, ''],
  ])('for %j with %j is %j', (content, more, summary) => {
    if (summary !== '') expect(planEpisode(content, more).summary).toBe(summary)
    expect(planEpisode(content, more).payload.timeline[0]?.summary ?? '').toBe(summary)
  })
})

const kinds = ['event', 'agent_turn', 'tool_output', 'observation', 'working_state', 'outcome', 'other']
const keys = ['ref', 'text', 'tool', 'args', 'result', 'subject', 'predicate', 'object', 'thread_id', 'state']
const more = ['outcome', 'timeline', 'artifacts', 'environment', 'constructor', '__proto__', 'toString', '']
const json = fc.jsonValue({ maxDepth: 4 })
const shaped = fc.dictionary(fc.constantFrom(...keys, ...more), fc.oneof(fc.string(), json))
const content = fc.oneof(json, shaped)
const anyCapture = fc.record({
  content,
  source_kind: fc.constantFrom(...kinds),
  context: fc.dictionary(fc.string(), json),
})

function expectKept(stored: unknown, input: unknown): void {
  if (!isPlain(stored) || !isPlain(input)) {
    expect(stored).toEqual(input)
    return
  }
  for (const [name, value] of Object.entries(input)) {
    const kept = Object.getOwnPropertyDescriptor(stored, name)?.value
    if (name === 'environment') expect(kept).toMatchObject(value as object)
    else expect(JSON.stringify(kept)).toBe(JSON.stringify(value))
  }
}

describe('any capture', () => {
  it('becomes payloads that match their schema, or is refused with a pointer', () => {
    fc.assert(
      fc.property(anyCapture, (input) => {
        const capture = { source: 's', ...input }
        const faults = findFaults(capture)
        for (const { pointer } of faults) expect(pointer).toMatch(/^\/content/)
        if (faults.length > 0) return
        const plan = planCaptureInput(capture)
        expect(listFaults(Interpretation, interpretByRule(capture, plan))).toEqual([])
        if (plan.kind === 'outcome') return
        expect(listFaults(Payload, plan.payload)).toEqual([])
        if (plan.kind !== 'working_state' && plan.fact) expect(listFaults(Payload, plan.fact)).toEqual([])
      }),
      { numRuns: countRuns(1_000) },
    )
  })

  it('keeps all its content', () => {
    fc.assert(
      fc.property(content, fc.constantFrom('event', 'tool_output', 'observation'), (input, source_kind) => {
        const more = { source_kind, context: { given: input } }
        fc.pre(listFaultPointers(input, more).length === 0)
        const plan = planEpisode(input, more)
        expectKept(rebuildContent(plan), input)
        expect(plan.payload.environment?.context?.['captured']).toMatchObject({ context: { given: input } })
      }),
      { numRuns: countRuns(1_000) },
    )
  })

  it('is searchable by the words of its content', () => {
    const deep = { notes: [{ mood: { deeper: 'needle' } }, 42] }
    const text = writeSearchableText(planEpisode(deep, { context: { place: 'haystack' } }).payload, [])
    for (const word of ['needle', '42', 'haystack']) expect(text).toContain(word)
    expect(
      writeSearchableText(planEpisode({ text: 'only once' }).payload, []).match(/only once/g),
    ).toHaveLength(1)
  })

  it('has the same canonical wording under another reference, time and reason', () => {
    const again = { context: { turn: 2 }, reason_to_remember: 'again', timestamp: '2026-01-01T00:00:00Z' }
    const wording = (...[content, more]: Parameters<typeof planEpisode>) =>
      writeCanonicalWording(planEpisode(content, more).payload)
    for (const [content, other] of [
      [{ ref: 'a', text: 'said' }, { text: 'Said.' }],
      [{ notes: [1, { deep: 'x' }] }, { ref: 'b', notes: [1, { deep: 'X' }] }],
    ]) {
      expect(wording(content)).toBe(wording(other, again))
      expect(wording(content)).not.toBe(wording({ ...other, more: 1 }))
    }
    expect([null, {}, { ref: 'a' }].map((content) => wording(content, again))).toEqual([null, null, null])
    expect(wording({ environment: { context: { place: 'here' } } })).not.toBeNull()
  })

  it('treats property names of JavaScript objects as data', () => {
    const hostile = JSON.parse('{"__proto__": {"outcome": "success"}, "constructor": {"prototype": 1}}')
    const { payload } = planEpisode(hostile)
    expect(payload.outcome).toBeUndefined()
    expect(JSON.stringify(payload.environment)).toContain('"__proto__":{"outcome":"success"}')
    expect({}).not.toHaveProperty('outcome')
  })

  it.each([
    ['many fields', Object.fromEntries(Array.from({ length: 150_000 }, (_, at) => [`k${at}`, at]))],
    ['two million numbers', Array.from({ length: 2_000_000 }, (_, at) => at)],
    ['fifty long texts', Array.from({ length: 50 }, () => 'word '.repeat(20_000))],
    [
      'forty thousand mentions',
      Array.from({ length: 40_000 }, (_, at) => ({ user: `u${at}`, xref: `r${at}` })),
    ],
    [
      'a hundred levels',
      Array.from({ length: 99 }).reduce((inner) => ({ inner, file: 'a' }), { user: 'deep' }),
    ],
    ['levels beyond any stack', Array.from({ length: 20_000 }).reduce((inner) => [inner], 'core')],
  ])('of %s is planned, with a limited number of mentions', (_, value) => {
    const input = buildCapture(value)
    const plan = planCaptureInput(input)
    const { mentions } = interpretByRule(input, plan)
    expect(mentions.length).toBeLessThanOrEqual(50)
  })

  it('is accepted for every documented example', () => {
    const { examples } = NewCapture as unknown as { examples: NewCapture[] }
    expect(examples).toHaveLength(5)
    for (const example of examples) {
      expect(listFaults(NewCapture, example)).toEqual([])
      expect(findFaults(example)).toEqual([])
    }
  })

  it('requires content, which may be null', () => {
    expect(listFaults(NewCapture, { source: 's', content: null })).toEqual([])
    expect(listFaults(NewCapture, { source: 's' })).toEqual([{ pointer: '/content', message: 'is required' }])
    expect(listFaults(NewCapture, { source: '', content: 1, more: 1 })).toHaveLength(2)
  })
})
