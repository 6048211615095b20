import { isCommonWord } from '../../domain/words/common-words.ts'
import { listPlainWords } from '../../domain/words/query-words.ts'

/** Whether a text has a word that says what it is about. */
export function hasTopic(text: string): boolean {
  return listPlainWords(text).some(isTopicWord)
}

export function isTopicWord(word: string): boolean {
  return !isCommonWord(word.toLowerCase())
}
