import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  dropMissingIds,
  listResolvedIds,
} from '../../../src/capture/interpretation/interpretation-targets.ts'
import type { Interpretation } from '../../../src/domain/interpretation.ts'
import { listPhrases } from '../../../src/domain/words/phrases.ts'

describe('the search for phrases that could be names', () => {
  it('returns up to three words in a row without punctuation', () => {
    expect(listPhrases('Ran "Orion Deploy", (twice).', 20)).toEqual([
      'Ran',
      'Ran Orion',
      'Ran Orion Deploy',
      'Orion',
      'Orion Deploy',
      'Orion Deploy twice',
      'Deploy',
      'Deploy twice',
      'twice',
    ])
  })

  it.each(['node.js', 'C++', 'C#', 'auth-agent', 'src/main.ts', 'Zoë', '東京'])(
    'keeps %s as one word',
    (name) => {
      expect(listPhrases(`see ${name}.`, 20)).toContain(name)
    },
  )

  it.each([
    ['林晓喜欢绿茶。', '林晓'],
    ['昨日、健太さんに会いました', '健太'],
    ['민수는 간호사입니다', '민수'],
    ['ผมกับสมชายไปตลาด', 'สมชาย'],
  ])('finds a name inside of %s', (text, name) => {
    expect(listPhrases(text, 100)).toContain(name)
  })

  it('returns each phrase once in any spelling', () => {
    expect(listPhrases('go Go GO', 20)).toEqual(['go', 'go Go', 'go Go GO'])
  })

  it('returns no more than requested, and nothing for text without words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(20), (text, limit) => {
        const phrases = listPhrases(text, limit)
        expect(phrases.length).toBeLessThanOrEqual(limit)
        for (const phrase of phrases) expect(phrase.trim()).not.toBe('')
      }),
    )
    expect(listPhrases('… — !', 20)).toEqual([])
  })

  it('takes bounded time on hostile text', () => {
    const started = performance.now()
    for (const text of [`a${'.'.repeat(1e5)}`, 'a.'.repeat(1e5), '.'.repeat(1e5), 'é'.repeat(1e5)]) {
      listPhrases(text, 600)
    }
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

describe('the ids in an interpretation', () => {
  const base: Interpretation = {
    status: 'tentative',
    summary: 's',
    proposed_type: 'episodic',
    topical_labels: [],
    mentions: [
      { surface: 'a', entity_kind: 'Tool', canonical_entity_id: 'e1', confidence: 1, aliases: [] },
      { surface: 'b', entity_kind: 'Tool', confidence: 1, aliases: [] },
    ],
    relation_candidates: [
      { predicate: 'p', target_entity_id: 'e2', target_record_id: 'r1', confidence: 1, resolved: true },
    ],
    reference_candidates: [{ ref: 'x', target_record_id: 'r2', confidence: 1, resolved: true }],
    extraction_confidence: 1,
  }
  const none = new Set<string>()

  it('are all listed', () => {
    expect(listResolvedIds(base)).toEqual({ entities: ['e1', 'e2'], records: ['r1', 'r2'] })
  })

  it('stay when they still exist', () => {
    expect(dropMissingIds(base, { entities: new Set(['e1', 'e2']), records: new Set(['r1', 'r2']) })).toEqual(
      base,
    )
  })

  it('are removed when they no longer exist, together with the resolved status', () => {
    const left = dropMissingIds(base, { entities: new Set(['e2']), records: none })
    expect(listResolvedIds(left)).toEqual({ entities: ['e2'], records: [] })
    expect(left.relation_candidates).toMatchObject([{ resolved: true }])
    expect(left.reference_candidates).toEqual([{ ref: 'x', confidence: 1, resolved: false }])
    expect(listResolvedIds(dropMissingIds(base, { entities: none, records: none }))).toEqual({
      entities: [],
      records: [],
    })
  })
})
