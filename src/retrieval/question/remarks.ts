import { extractWords } from '../../domain/words/query-words.ts'
import { isTopicWord } from './topic-words.ts'

/** Splits a task into what is asked, and remarks beside it: "It was a long week. Where does Ada live?" */

export type AskedSentences = {
  /** The sentences that ask, of a copied chat those of its last turn; the whole task if they say too little. */
  asking: string
  /** The rest. */
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

/** With the label as a group. */
const turnBegin =
  /^[*#\t ]{0,9}(user|human|customer|client|assistant|ai|bot|agent|model|system|tool)\*{0,2}:\*{0,2}(?=\s|$)/im
const personLabel = /^(?:user|human|customer|client)$/i
/** What stands before the first label, and two turns with their labels. */
const fewestParts = 5

/** A question that says less, such as "What should I bring?", is about what the remarks say. */
const least = 2

export function splitRemarks(task: string): AskedSentences {
  const { last, before } = splitTurns(task)
  const sentences = last.split(sentenceEnd)
  const form = sentences.some((sentence) => asks.test(sentence)) ? asks : asksInWords
  const asked = sentences.filter((sentence) => form.test(sentence))
  const said = sentences.filter((sentence) => !form.test(sentence))
  // The last turn of a chat is what is asked, even if it is no question.
  const [asking, remarks] = asked.length > 0 ? [asked.join(' '), [...before, ...said]] : [last, before]
  return weighOwnWords(asking) < least
    ? { asking: task, remarks: '' }
    : { asking, remarks: remarks.join(' ') }
}

/** The last turn of the person in a copied chat ("User: …", "Assistant: …"), and the other turns. Without turns, the whole task. */
function splitTurns(task: string): { last: string; before: string[] } {
  const turns = task.split(turnBegin)
  // Before the first label there may be an instruction, and after each label is its turn.
  const at = turns.findLastIndex((each, index) => index % 2 === 1 && personLabel.test(each)) + 1
  if (turns.length < fewestParts || at === 0) return { last: task, before: [] }
  const others = turns.filter((each, index) => index % 2 === 0 && index !== at && each.trim() !== '')
  return { last: (turns[at] ?? '').trim(), before: others.map((each) => each.trim()) }
}

/** The words that are not common. A name, which has a capital inside of the sentence, says as much as two. */
function weighOwnWords(text: string): number {
  return extractWords(text)
    .text.split(' ')
    .map((word, index) => {
      if (word === '' || !isTopicWord(word)) return 0
      return index > 0 && word !== word.toLowerCase() ? 2 : 1
    })
    .reduce((sum: number, weight) => sum + weight, 0)
}
