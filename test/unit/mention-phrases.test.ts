import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dropMissingIds, listReferencedIds } from '../../src/capture/model-references.ts'
import type { Interpretation } from '../../src/domain/interpretation.ts'
import { listPhrases } from '../../src/domain/phrases.ts'

describe('what could be a name', () => {
  it('is up to three words in a row, without the marks around them', () => {
    expect(listPhrases('Ran "Orion Deploy", (twice).', 20)).toEqual([
      ...['Ran', 'Ran Orion', 'Ran Orion Deploy', 'Orion', 'Orion Deploy', 'Orion Deploy twice'],
      ...['Deploy', 'Deploy twice', 'twice'],
    ])
  })

  it.each(['node.js', 'C++', 'C#', 'auth-agent', 'src/main.ts', 'Zoë', '東京'])(
    'is %s as a whole',
    (name) => {
      expect(listPhrases(`see ${name}.`, 20)).toContain(name)
    },
  )

  it('comes once, however it is spelled', () => {
    expect(listPhrases('go Go GO', 20)).toEqual(['go', 'go Go', 'go Go GO'])
  })

  it('is no more than asked for, and none where there are no words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.nat(20), (text, limit) => {
        const phrases = listPhrases(text, limit)
        expect(phrases.length).toBeLessThanOrEqual(limit)
        for (const phrase of phrases) expect(phrase.trim()).not.toBe('')
      }),
    )
    expect(listPhrases('… — !', 20)).toEqual([])
  })

  it('is found in a hostile text in no time', () => {
    const started = performance.now()
    for (const text of [`a${'.'.repeat(1e5)}`, 'a.'.repeat(1e5), '.'.repeat(1e5), 'é'.repeat(1e5)]) {
      listPhrases(text, 600)
    }
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})

describe('the ids in an interpretation', () => {
  const base: Interpretation = {
    ...{ status: 'tentative', summary: 's', proposed_type: 'episodic', topical_labels: [] },
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
    expect(listReferencedIds(base)).toEqual({ entities: ['e1', 'e2'], records: ['r1', 'r2'] })
  })

  it('stay where they still lead somewhere', () => {
    expect(dropMissingIds(base, { entities: new Set(['e1', 'e2']), records: new Set(['r1', 'r2']) })).toEqual(
      base,
    )
  })

  it('go where they do not, and with the last of them what they resolved', () => {
    const left = dropMissingIds(base, { entities: new Set(['e2']), records: none })
    expect(listReferencedIds(left)).toEqual({ entities: ['e2'], records: [] })
    expect(left.relation_candidates).toMatchObject([{ resolved: true }])
    expect(left.reference_candidates).toEqual([{ ref: 'x', confidence: 1, resolved: false }])
    expect(listReferencedIds(dropMissingIds(base, { entities: none, records: none }))).toEqual({
      entities: [],
      records: [],
    })
  })
})
