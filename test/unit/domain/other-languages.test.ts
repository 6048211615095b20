import { expect, it } from 'vitest'
import { isOtherLanguage, mayMean } from '../../../src/domain/words/other-languages.ts'
import { listPlainWords } from '../../../src/domain/words/word-extraction.ts'

const isOther = (sentence: string) => isOtherLanguage(listPlainWords(sentence))

it.each([
  `Qu'est-ce que j'ai mangé hier ?`,
  'Quel est le prix du billet de train ?',
  '¿Dónde compré la bicicleta?',
  'Was mag meine Schwester gern essen?',
  'Dove abita mia sorella?',
  'Onde mora a minha irmã?',
  'Waar woont mijn zus?',
])('is a sentence in another language: %s', (sentence) => {
  expect(isOther(sentence)).toBe(true)
})

it.each([
  'Who wrote Le Monde and La Stampa?',
  'What did Zoë order in the café?',
  'Which de facto standard do we use en route?',
  'kubernets deploy rollback',
  'When did I go to San Juan de la Cruz?',
  'mangé',
])('is no sentence in another language: %s', (sentence) => {
  expect(isOther(sentence)).toBe(false)
})

it('a word with an accent means only words with one, or itself without', () => {
  expect(mayMean('mangé', 'mango')).toBe(false)
  expect(mayMean('mangé', 'mangée')).toBe(true)
  expect(mayMean('café', 'cafe')).toBe(true)
  expect(mayMean('mangp', 'mango')).toBe(true)
})
