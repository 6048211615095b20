import { computeRarity, isCommonWord } from '../../domain/words/common-words.ts'
import { listPlainWords } from '../../domain/words/word-extraction.ts'

/** Whether a text has a word that says what it is about. */
export function hasTopic(text: string): boolean {
  return listPlainWords(text).some(isTopicWord)
}

/** Whether a text has a word that is not in every text. "And why?" has none. */
export function saysSomething(text: string): boolean {
  return listPlainWords(text).some((word) => computeRarity(word.toLowerCase()) > 0)
}

export function isTopicWord(word: string): boolean {
  return !isCommonWord(word.toLowerCase())
}
