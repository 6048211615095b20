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

/** The text of a question. It is parsed once, because it may be as long as a page. */
export type QuestionText = {
  asked: string
  /** Without what it excludes. */
  included: string
  /** Without what it excludes and without words that only ask for help. */
  topic: string
  /** The words of the topic, and what every answer must or must not contain. */
  query: TextQuery
}

/** A question as one asks a person. Its quotes hold a title or what was said, which the answer need not repeat. */
const asksPerson = /\?["'\s]*$/

export function readQuestionText(text: string): QuestionText {
  const unframed = dropFraming(text)
  const asked = asksPerson.test(unframed) ? dropQuotes(unframed) : unframed
  const sentence = dropHelpRequest(asked)
  if (countWords(asked) > longestQuery)
    return { asked, included: asked.trim(), topic: sentence.trim(), query: readLongText(sentence) }
  return {
    asked,
    included: dropExcluded(asked),
    topic: dropExcluded(sentence),
    query: readQuery(sentence),
  }
}
