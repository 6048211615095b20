import { isCommonWord } from '../../domain/words/common-words.ts'
import { extractWords } from '../../domain/words/query-words.ts'

/** Splits a task into the sentences that ask, and remarks beside them: "It was a long week. Where does Ada live?" */

export type AskedSentences = {
  /** The sentences that ask; the whole task if none of them says enough. */
  asking: string
  /** The other sentences. */
  remarks: string
}

/** "Dr. Ada", "e.g. this" and "J. Smith" go on after the full stop. */
const sentenceEnd =
  /(?<=[?!…:？！。؟]["'”’)\]]?|(?<!(?:^|[\s(])(?:\p{L}|\p{Lu}\p{Ll}{1,2}|Prof|\p{L}\.\p{L}))\.["'”’)\]]?)\s+|(?<=[？！。])|\n+/u
const asks = /[?？؟]["'”’)\]\s]*$/u

const verb = '(?:am|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|might)'
/** Where no sentence has a question mark: "when did Ada move", not "When the build is done, deploy it." Only in English. */
const asksInWords = new RegExp(
  `^\\W{0,9}(?:(?:and|but|ok|okay|please|so|well)\\b\\W{0,9})?(?:${[
    'who\\b',
    "(?:what|when|where|why|how)['’]s\\b",
    `(?:when|where|why|whom)\\s+${verb}\\b`,
    `(?:what|which|whose|how)\\s+(?:[\\w'’-]+\\s+){0,4}?${verb}\\b`,
    '(?:is|are|was|were|does|did|has|had)\\b',
    '(?:(?:can|could|will|would) you (?:please )?)?(?:tell|remind) me\\b',
  ].join('|')})`,
  'i',
)

/** A question that says less, such as "What should I bring?", is about what the remarks say. */
const least = 2

export function splitRemarks(task: string): AskedSentences {
  const all = task.split(sentenceEnd)
  const isAsking = all.some((sentence) => asks.test(sentence)) ? asks : asksInWords
  const sentences = Map.groupBy(all, (sentence) => isAsking.test(sentence))
  const asking = sentences.get(true)?.join(' ') ?? ''
  const remarks = sentences.get(false)?.join(' ') ?? ''
  return weighOwnWords(asking) < least ? { asking: task, remarks: '' } : { asking, remarks }
}

/** The words that are not common. A name, which has a capital inside of the sentence, says as much as two. */
function weighOwnWords(text: string): number {
  return extractWords(text)
    .text.split(' ')
    .map((word, index) => {
      if (word === '' || isCommonWord(word.toLowerCase())) return 0
      return index > 0 && word !== word.toLowerCase() ? 2 : 1
    })
    .reduce((sum: number, weight) => sum + weight, 0)
}
