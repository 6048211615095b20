import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTokenTable } from '../../../src/embeddings/static/static-embedder.service.ts'
import { readVocabulary, splitText } from '../../../src/embeddings/static/word-pieces.ts'
import { anyCharacter } from '../../support/texts/any-character.ts'

const { vocabulary } = readTokenTable()
const spelled = new Map([
  ...Array.from(vocabulary.beginning, ([piece, id]) => [id, piece] as const),
  ...Array.from(vocabulary.continuing, ([piece, id]) => [id, `##${piece}`] as const),
])
const piecesOf = (text: string) =>
  splitText(text, vocabulary)
    .map(({ pieces }) => pieces?.map((id) => spelled.get(id)).join(' ') ?? '[UNK]')
    .join(' ')

describe('the split of a text into pieces', () => {
  it.each([
    ['The quick brown fox', 'the quick brown fox'],
    ['unaffable', 'una ##ffa ##ble'],
    ['Tokenization of embeddings', 'token ##ization of em ##bed ##ding ##s'],
    ['Héllo, WÖRLD!', 'hello , world !'],
    ["don't", "don ' t"],
    ['a$b^c', 'a $ b ^ c'],
    ['12345', '123 ##45'],
    ['東京 2024', '東 京 202 ##4'],
    ['new\tline\nand\u00a0space', 'new line and space'],
    ['zero\u200bwidth\u0000bytes', 'zero ##wi ##dt ##h ##by ##tes'],
    ['naïve cafe\u0301', 'naive cafe'],
    ['👍', '[UNK]'],
    ['x'.repeat(101), '[UNK]'],
    ['', ''],
  ])('is that of the sentence model for %j', (text, pieces) => {
    expect(piecesOf(text)).toBe(pieces)
  })

  it('spells every word from its pieces, or not at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        for (const { word, pieces } of splitText(text, vocabulary)) {
          const rebuilt = pieces?.map((id) => spelled.get(id)?.replace(/^##/, '')).join('')
          expect(rebuilt ?? word).toBe(word)
        }
      }),
    )
  })

  it('takes the longest piece each time, and no other split', () => {
    const small = readVocabulary(['ab', 'abc', '##c', '##d'])
    expect(splitText('abc abd abcd abe', small).map(({ pieces }) => pieces)).toEqual([
      [1],
      [0, 3],
      [1, 3],
      null,
    ])
  })
})
