import { longestQuery } from '../../domain/words/text-query.ts'
import { holdsUnspaced } from '../../domain/words/unspaced-scripts.ts'
import { listPlainWords } from '../../domain/words/word-extraction.ts'
import { dropFraming } from '../question/question-framing.ts'
import { isTopicWord } from '../question/topic-words.ts'

/** Compares the words of a question with the lines that were found for it. */

/** If no more words are missing, the lines are about what is asked, as far as words can tell: "What runs the queue?" names a queue. */
const usualShare = 1 / 2
/** Shorter words are compared in full. */
const shortestStem = 3
const possessive = /['’]s\b/g

/**
 * The words of a question that no text has, in any ending; none if the texts have half of them. A long text is no question, and a
 * script without spaces has no words to compare.
 */
export function listMissingWords(question: string, texts: readonly string[]): string[] {
  const asked = new Map(
    listPlainWords(dropFraming(question).replace(possessive, ''))
      .filter(isTopicWord)
      .map((word) => [word.toLowerCase(), word]),
  )
  if (texts.length === 0 || asked.size === 0 || asked.size > longestQuery) return []
  if ([...asked.keys()].some(holdsUnspaced)) return []
  const said = new Set(texts.flatMap((text) => listPlainWords(text.toLowerCase()).filter(isTopicWord)))
  const missing = [...asked].filter(([word]) => !hasForm(said, word)).map(([, written]) => written)
  return missing.length > usualShare * asked.size ? missing : []
}

function hasForm(said: ReadonlySet<string>, word: string): boolean {
  if (said.has(word)) return true
  if (word.length < shortestStem) return false
  const stem = word.slice(0, Math.max(shortestStem, word.length - (word.length < 6 ? 1 : 2)))
  return [...said].some((each) => each.startsWith(stem))
}
