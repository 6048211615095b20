import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSeal } from '../../../src/domain/identity/tombstone-seal.ts'
import { writeCanonicalWording, writeEarlierWording } from '../../../src/domain/identity/tombstone-wording.ts'
import type { Payload } from '../../../src/domain/payloads/payloads.ts'
import { computeErasedIds } from '../../../src/records/erasure/erased-ids.ts'
import { removeErasedSources } from '../../../src/records/erasure/kept-record.ts'

const fact = (object: unknown): Payload => ({
  kind: 'semantic',
  subject: 's',
  predicate: 'p',
  object,
  validity: { mode: 'global' },
  evidence: [],
})

describe('the canonical wording of a record', () => {
  it('is the same in any case, spacing and punctuation', () => {
    const words = fc.array(fc.stringMatching(/^[a-zé0-9ß]{1,8}$/), { minLength: 1, maxLength: 6 })
    const gaps = fc.constantFrom(' ', '  ', ', ', ' — ', '\n', '\u00a0', '... ')
    fc.assert(
      fc.property(words, gaps, fc.boolean(), (parts, gap, isLoud) => {
        const text = parts.join(gap)
        const spoken = isLoud && !text.includes('ß') ? text.toUpperCase() : text
        expect(writeCanonicalWording(fact(`«${spoken}»`))).toBe(writeCanonicalWording(fact(parts.join(' '))))
      }),
    )
  })

  it('differs for other words, numbers or positions', () => {
    const values = ['12', 12, -12, '1.2', '1 2 3', ['a', 'b'], ['b', 'a'], { a: 'b' }, { b: 'a' }, true, null]
    expect(new Set(values.map((object) => writeCanonicalWording(fact(object)))).size).toBe(values.length)
    expect(writeCanonicalWording(fact({ x: 1, y: 2 }))).toBe(writeCanonicalWording(fact({ y: 2, x: 1 })))
    expect(writeCanonicalWording(fact('?'))).not.toBe(writeCanonicalWording(fact('!')))
  })

  it('has a digest that depends on the key and the scope', () => {
    const mark = (key: string, scope: string) => createSeal(key).digest(scope, fact('x'))?.toString('hex')
    const marks = [
      mark('one key of sixteen', 'a'),
      mark('one key of sixteen', 'b'),
      mark('other key of sixteen', 'a'),
    ]
    expect(new Set(marks).size).toBe(3)
    expect(marks[0]).toHaveLength(64)
  })
})

describe('a message', () => {
  const message = (summary: string, id = 'm'): Payload => ({
    kind: 'episodic',
    tool_graph: [],
    artifacts: [],
    timeline: [{ t: '2026-01-01T00:00:00Z', event_kind: 'message', ref: 'r', summary }],
    conversation: { id: 'c', message_id: id, position: 1, at: '2026-01-01T00:00:00Z', role: 'user' },
  })

  it('is bound to its id while it has fewer than five words, or ten letters without spaces', () => {
    const isBound = (text: string) =>
      writeCanonicalWording(message(text)) !== writeCanonicalWording(message(text, 'n'))
    for (const text of ['yes, please', 'one two three four', '好的，没问题，谢谢你', 'はい、おねがい'])
      expect(isBound(text)).toBe(true)
    for (const text of ['one two three four five', '我的密码是一二三四五六', 'ฉันไม่ต้องการสิ่งนี้'])
      expect(isBound(text)).toBe(false)
  })

  it('has the wording of an earlier version as well where that was bound to its id', () => {
    expect(writeEarlierWording(message('one two three four five'))).toBeNull()
    expect(writeEarlierWording(message('yes, please'))).toBeNull()
    expect(writeEarlierWording(message('我的密码是一二三四五六'))).toContain('"c","m"')
  })
})

describe('a text', () => {
  const text = 'Linda prefers the window seat'
  const note = (object: string, subject: string): Payload => ({
    ...(fact(object) as Extract<Payload, { kind: 'semantic' }>),
    subject,
    predicate: 'note',
  })
  const captured = (content: unknown, summary?: string): Payload => ({
    kind: 'episodic',
    tool_graph: [],
    artifacts: [],
    timeline: [{ t: '2026-01-01T00:00:00Z', event_kind: 'event', ref: 'r', ...(summary ? { summary } : {}) }],
    environment: { context: { captured: { content } } },
  })

  it('that is remembered is the same about anything, from five words on', () => {
    expect(writeCanonicalWording(note(text, 'Linda'))).toBe(writeCanonicalWording(note(text, 'memory')))
    expect(writeEarlierWording(note(text, 'Linda'))).not.toBe(writeEarlierWording(note(text, 'memory')))
    expect(writeCanonicalWording(note('prefers tea', 'Ada'))).not.toBe(
      writeCanonicalWording(note('prefers tea', 'Bob')),
    )
    expect(writeEarlierWording(note('prefers tea', 'Ada'))).toBeNull()
  })

  it('that is captured is the same in any form, and as the summary of an episode', () => {
    const forms = [text, { text }, { message: text.toUpperCase() }]
    const wordings = forms.map((form) => writeCanonicalWording(captured(form, 'what a model wrote')))
    expect(new Set([...wordings, writeCanonicalWording(captured(null, text))]).size).toBe(1)
    expect(writeEarlierWording(captured({ text }))).toContain('[["text",')
    expect(writeEarlierWording(captured({ text, tool: 'x' }))).toBeNull()
    expect(writeCanonicalWording(captured({ text, tool: 'x' }))).not.toBe(wordings[0])
    expect(writeCanonicalWording(captured('  '))).toBeNull()
  })
})

describe('the erasure of a record and of what is derived from it', () => {
  const edges = (...pairs: [string, string][]) =>
    pairs.map(([derived, source]) => ({
      derived,
      source,
      kind: 'capture' as const,
      isGround: true,
      quotesAllSources: false,
      givesName: false,
    }))

  it('includes records derived from the erased one alone, over any path', () => {
    const derivations = edges(['b', 'a'], ['c', 'b'], ['d', 'c'], ['d', 'b'], ['e', 'd'], ['e', 'other'])
    expect([...computeErasedIds('a', derivations)].sort()).toEqual(['a', 'b', 'c', 'd'])
  })

  it('includes records that are supported only by each other', () => {
    expect(computeErasedIds('a', edges(['b', 'a'], ['b', 'c'], ['c', 'b'])).size).toBe(3)
    expect(computeErasedIds('a', edges(['b', 'a'], ['b', 'c'], ['c', 'b'], ['c', 'x'])).size).toBe(1)
    expect(computeErasedIds('a', edges(['b', 'a'], ['a', 'b'], ['a', 'x'])).size).toBe(2)
  })

  it('leaves out records that only name the erased one', () => {
    const claims = edges(['b', 'a'], ['c', 'b']).map((each) => ({ ...each, isGround: false }))
    expect([...computeErasedIds('a', claims)]).toEqual(['a'])
  })

  it('includes a summary that quotes all its sources, even when another source remains', () => {
    const summary = edges(['b', 'a'], ['b', 'other']).map((each) => ({ ...each, quotesAllSources: true }))
    expect([...computeErasedIds('a', summary)]).toEqual(['a', 'b'])
  })

  it('includes a summary about an entity that got a name from the erased one', () => {
    const name = (givesName: boolean) =>
      edges(['b', 'a'], ['b', 'other']).map((each) => ({ ...each, givesName }))
    const summary = edges(['c', 'b']).map((each) => ({ ...each, quotesAllSources: true }))
    expect([...computeErasedIds('a', [...name(true), ...summary])]).toEqual(['a', 'c'])
    expect([...computeErasedIds('a', [...name(false), ...summary])]).toEqual(['a'])
  })

  it('removes the erased id from the records that remain', () => {
    const id = '0197b9a0-0000-7000-8000-000000000001'
    const evidence = [{ source_type: 'event' as const, source_id: id, timestamp: '2026-01-01T00:00:00Z' }]
    const origins = {
      tags: ['mine', 'theirs', 'shared'],
      interpretation: null,
      payload: { ...fact('x'), evidence } as Payload,
      provenance: {
        sources: [{ kind: 'event' as const, ref: `record:${id.toUpperCase()}` }],
        created_by: 'me',
      },
    }
    const source = (...tags: string[]) => ({ ...origins, tags })
    const nothing = { erased: [], remaining: [], creators: [], merged: [], replaced: [] }
    const heritage = { ...nothing, erased: [source('theirs', 'shared')], remaining: [source('shared')] }
    expect(removeErasedSources(origins, new Set([id]), heritage)).toEqual({
      tags: ['mine', 'shared'],
      payload: fact('x'),
      provenance: { sources: [{ kind: 'event', ref: 'erased' }], created_by: 'me' },
    })
    expect(removeErasedSources(origins, new Set(['0197b9a0-0000-7000-8000-000000000002']), nothing)).toEqual(
      {},
    )
  })
})
