import { describe, expect, it } from 'vitest'
import { createWordBeginnings } from '../../../src/retrieval/text/memory/word-beginnings.ts'
import { maxRelatedOfSentence } from '../../../src/retrieval/text/stems/related-stems.ts'
import {
  addForms,
  getBeginning,
  listBeginnings,
  maxWordsOfBeginning,
} from '../../../src/retrieval/text/stems/word-forms.ts'

const inStore = (...words: string[]) => {
  const { list, add } = createWordBeginnings()
  for (const word of words) add(word)
  return list
}
const noRelated = { related: [] }

describe('forms of a word', () => {
  it('are the nearest five that share its beginning and differ in at most four letters', () => {
    const known = inStore(
      'wander',
      'wandere',
      'wandern',
      'wanderte',
      'wanderten',
      'wandernd',
      'wanderungen',
      'wand',
    )
    const forms = addForms({ words: ['wandert'], inflected: ['wandert'], ...noRelated }, known)
    expect(forms.map(({ word }) => word)).toEqual(['wanderte', 'wanderten', 'wander', 'wandere', 'wandern'])
    expect(new Set(forms.map(({ of, weight }) => `${of} ${weight}`))).toEqual(new Set(['wandert 0.7']))
  })

  it('are neither the word itself nor another word of the question', () => {
    const known = inStore('wandert', 'wandern')
    expect(addForms({ words: ['wandert', 'wandern'], inflected: ['wandert'], ...noRelated }, known)).toEqual(
      [],
    )
  })

  it('come before other words that stand for it, each once, within the limit of a sentence', () => {
    const correction = { word: 'wandern', of: 'wandert', weight: 0.8, isCorrection: true }
    const others = Array.from({ length: maxRelatedOfSentence }, (_, at) => ({
      word: `w${at}`,
      of: 'x',
      weight: 0.1,
    }))
    const related = [correction, ...others]
    const all = addForms({ words: ['wandert'], inflected: ['wandert'], related }, inStore('wandern'))
    expect(all.slice(0, 2)).toEqual([{ word: 'wandern', of: 'wandert', weight: 0.7 }, others[0]])
    expect(all).toHaveLength(maxRelatedOfSentence)
  })

  it('exist only for words of five letters, marks included', () => {
    expect(listBeginnings(['haus', 'häuser', 'häusern', 'a1b2c3', 'कहानियाँ'])).toEqual(['häuse', 'कहानि'])
    // Two code units each, of which a half is no letter.
    expect(getBeginning('𞤀𞤣𞤤𞤢𞤥𞤢')).toBe('𞤀𞤣𞤤𞤢𞤥')
    expect(getBeginning('𞤀𞤣𞤤')).toBeUndefined()
  })

  it('come from a limited number of words', () => {
    const letters = Array.from('abcdefghijklmnopqrstuvwxyz')
    const known = inStore(...letters.flatMap((one) => letters.map((other) => `abcde${one}${other}`)))
    expect(known('abcde')).toHaveLength(maxWordsOfBeginning)
  })

  it('go with the last text that has them', () => {
    const beginnings = createWordBeginnings()
    for (const word of ['wander', 'wandern', 'haus']) beginnings.add(word)
    for (const word of ['wander', 'haus', 'unknown']) beginnings.remove(word)
    expect(beginnings.list('wande')).toEqual(['wandern'])
    expect(beginnings.list('haus')).toEqual([])
  })
})
