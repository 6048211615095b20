import {
  countWords,
  dropExcluded,
  dropQuotes,
  longestQuery,
  readLongText,
  readQuery,
  type TextQuery,
} from '../../domain/words/query-words.ts'
import { dropHelpRequest } from './asker-in-question.ts'
import { dropFraming } from './question-framing.ts'
import { splitRemarks } from './remarks.ts'

/** The text of a question. It is parsed once, because it may be as long as a page. */
export type QuestionText = {
  asked: string
  /** Without what it excludes. */
  included: string
  /** Without what it excludes and without remarks beside the question. */
  asking: string
  /** Without what it excludes and without words that only ask for help. */
  topic: string
  /** The words of the topic, and what every answer must or must not contain. */
  query: TextQuery
}

/** A question as one asks a person. Its quotes hold a title or what was said, which the answer need not repeat. */
const asksPerson = /\?["'\s]*$/

export function readQuestionText(text: string): QuestionText {
  const unframed = dropFraming(text)
  const { asking: sentences, remarks } = splitRemarks(unframed)
  const [asked, asking] =
    remarks !== '' || asksPerson.test(unframed)
      ? [dropQuotes(unframed), dropQuotes(sentences)]
      : [unframed, sentences]
  const isLong = countWords(asking) > longestQuery
  const drop = isLong ? (sentence: string) => sentence.trim() : dropExcluded
  const sentence = dropHelpRequest(asking)
  const query = isLong ? readLongText(sentence) : readQuery(sentence)
  const addRemarks = (asked: string) => `${asked} ${remarks}`.trim()
  return {
    asked,
    asking: drop(asking),
    included: addRemarks(drop(asking)),
    topic: addRemarks(drop(sentence)),
    query: remarks === '' ? query : { ...query, remarks: readLongText(remarks).alternatives },
  }
}
