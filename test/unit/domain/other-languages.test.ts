import { expect, it } from 'vitest'
import { dropFunctionWords, isOtherLanguage, mayMean } from '../../../src/domain/words/other-languages.ts'
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
  'van door lock',
  "When is Zoë's daughter's birthday?",
])('is no sentence in another language: %s', (sentence) => {
  expect(isOther(sentence)).toBe(false)
})

it('a word with an accent means only words with one, or itself without', () => {
  expect(mayMean('mangé', 'mango')).toBe(false)
  expect(mayMean('mangé', 'mangée')).toBe(true)
  expect(mayMean('café', 'cafe')).toBe(true)
  expect(mayMean('mangp', 'mango')).toBe(true)
})

it.each([
  ['¿Cuánto cuesta la pieza del horno?', 'cuesta pieza horno'],
  ['Wie hoch ist der Beitrag?', 'hoch Beitrag'],
  ["Où est l'école de ma sœur ?", 'école sœur'],
  ['Quanto costa il biglietto del treno?', 'costa biglietto treno'],
  ['Onde fica a minha chave?', 'fica chave'],
  ['Hoe laat komt het pakket?', 'laat komt pakket'],
])('drops the function words of %s', (sentence, left) => {
  expect(dropFunctionWords(listPlainWords(sentence)).join(' ')).toBe(left)
})

it.each(['Wo ist das?', 'The war on die cast iron', 'van door lock'])('drops no words of: %s', (sentence) => {
  expect(dropFunctionWords(listPlainWords(sentence)).join(' ')).toBe(sentence.replace('?', ''))
})
