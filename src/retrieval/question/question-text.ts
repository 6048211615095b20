import {
  countWords,
  dropExcluded,
  dropQuotes,
  longestQuery,
  readLongText,
  readQuery,
  type TextQuery,
} from '../../domain/words/text-query.ts'
import { askAsUser, dropHelpRequest } from './asker-in-question.ts'
import { writeOutChat } from './json-chat.ts'
import { dropMemoryRequest } from './memory-request.ts'
import { dropFraming } from './question-framing.ts'
import { splitRemarks } from './remarks.ts'
import { listStatementWords } from './statement-words.ts'

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
  /** The questions of a text that asks several. The words of the others count as remarks in each. */
  parts: QuestionText[]
}

/** A question as one asks a person. Its quotes hold a title or what was said, which the answer need not repeat. */
const asksPerson = /\?["'\s]*$/

export function readQuestionText(text: string): QuestionText {
  const unframed = askAsUser(dropMemoryRequest(dropFraming(writeOutChat(text))))
  const { asking, remarks, questions } = splitRemarks(unframed)
  const readQuotes = remarks !== '' || asksPerson.test(unframed) ? dropQuotes : (sentence: string) => sentence
  const whole = readPart(readQuotes(asking), remarks)
  const isStrict = whole.query.phrases.length > 0 || whole.query.excluded.length > 0
  const parts = isStrict
    ? []
    : questions.map((each) => {
        const others = questions.filter((other) => other !== each)
        return readPart(readQuotes(each), [...others, remarks].join(' ').trim())
      })
  return { ...whole, asked: readQuotes(unframed), parts }
}

function readPart(asking: string, remarks: string): QuestionText {
  const isLong = countWords(asking) > longestQuery
  const drop = isLong ? (sentence: string) => sentence.trim() : dropExcluded
  const sentence = dropHelpRequest(asking)
  const query = isLong ? readLongText(sentence) : readQuery(sentence)
  const addRemarks = (asked: string) => `${asked} ${remarks}`.trim()
  return {
    asked: asking,
    asking: drop(asking),
    included: addRemarks(drop(asking)),
    topic: addRemarks(drop(sentence)),
    query: addRemarked(
      query,
      remarks === '' ? '' : readLongText(remarks).alternatives,
      listStatementWords(asking),
    ),
    parts: [],
  }
}

/** Words of likely answers count as much as those of remarks. */
function addRemarked(query: TextQuery, ...words: string[]): TextQuery {
  const remarks = words.join(' ').trim()
  return remarks === '' ? query : { ...query, remarks }
}
