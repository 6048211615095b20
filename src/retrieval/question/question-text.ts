import {
  countWords,
  dropExcluded,
  longestQuery,
  readLongText,
  readQuery,
  type TextQuery,
} from '../../domain/words/query-words.ts'
import { dropHelpRequest } from './asker-in-question.ts'

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

export function readQuestionText(asked: string): QuestionText {
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
