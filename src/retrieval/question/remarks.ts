import { extractWords } from '../../domain/words/word-extraction.ts'
import { splitAsides } from './asides.ts'
import { asksForHelp } from './asker-in-question.ts'
import {
  beginsAsQuestion,
  endsAsQuestion,
  nextQuestion,
  requestedQuestion,
  sentenceEnd,
} from './question-form.ts'
import { isTopicWord, saysSomething } from './topic-words.ts'

/** Splits a task into what is asked, and remarks beside it: "It was a long week. Where does Ada live?" */

export type AskedSentences = {
  /** The sentences that ask, of a copied chat those of its last turn; the whole task if they say too little. */
  asking: string
  /** The rest. */
  remarks: string
  /** The questions of `asking`, if there are several: "Where did Ada find the ring, and who made it?" */
  questions: string[]
}

/** With the label as a group. */
const turnBegin =
  /^[*#\t ]{0,9}(user|human|customer|client|assistant|ai|bot|agent|model|system|tool)\*{0,2}:\*{0,2}(?=\s|$)/im
const personLabel = /^(?:user|human|customer|client)$/i
/** What stands before the first label, and two turns with their labels. */
const fewestParts = 5

/** A question that says less, such as "What should I bring?", is about what the remarks say. */
const least = 2

/** "How would you set that up?" is about what was said before. In "the ring that Ada found" something follows. */
const refersBack = /\b(?:it|so|that|them|there|these|this|those)\b(?=(?:\s{1,9}\w+)?\s{0,9}(?:[?,.!]|$))/i

/** If there are more, all are searched together: each takes a search of its own. */
const mostQuestions = 4

export function splitRemarks(task: string): AskedSentences {
  const { last, before } = splitTurns(task)
  const separated = last.split(sentenceEnd).flatMap(splitRequest).map(separateAsides)
  const asides = separated.flatMap((each) => each.asides)
  const sentences = separated.map((each) => each.question)
  const form = sentences.some((sentence) => endsAsQuestion.test(sentence)) ? endsAsQuestion : beginsAsQuestion
  const asked = sentences.filter((sentence) => form.test(sentence))
  const said = sentences.filter((sentence) => !form.test(sentence))
  if (asked.length > 0 && said.length > 0 && leansOnRemarks(asked.join(' ')))
    return { asking: sentences.join(' '), remarks: [...before, ...asides].join(' '), questions: [] }
  // The last turn of a chat is what is asked, even if it is no question.
  const [asking, remarks] =
    asked.length > 0 ? [asked.join(' '), [...before, ...asides, ...said]] : [last, before]
  return weighOwnWords(asking) < least
    ? { asking: task, remarks: '', questions: [] }
    : { asking, remarks: remarks.join(' '), questions: splitQuestions(asked) }
}

/** What only asks to answer, apart from the question. */
function splitRequest(sentence: string): string[] {
  const [, request, question] = (endsAsQuestion.test(sentence) && requestedQuestion.exec(sentence)) || []
  return request === undefined || question === undefined ? [sentence] : [request, question]
}

/** Asides apart from the question: "Before I forget, where does Ada live?" */
function separateAsides(sentence: string): { asides: string[]; question: string } {
  const separated = splitAsides(sentence)
  const asks = endsAsQuestion.test(separated.question) || beginsAsQuestion.test(separated.question)
  return asks ? separated : { asides: [], question: sentence }
}

/**
 * Whether a question is about what is said beside it: it asks for help with that, or refers to it. "I'm looking to spend less. What
 * would you suggest?", "My bike was stolen. When did I buy it?"
 */
function leansOnRemarks(question: string): boolean {
  return asksForHelp(question) || refersBack.test(question)
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

/** Empty if there is only one question, or too many. One that says nothing by itself, such as "And why?", belongs to the one before. */
function splitQuestions(sentences: readonly string[]): string[] {
  const questions: string[] = []
  let begin = ''
  for (const each of sentences.flatMap((sentence) => sentence.split(nextQuestion))) {
    const text = `${begin} ${each}`.trim()
    begin = ''
    if (saysSomething(each)) questions.push(text)
    else if (questions.length === 0) begin = text
    else questions.push(`${questions.pop()} ${text}`)
  }
  return questions.length > 1 && questions.length <= mostQuestions ? questions : []
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
