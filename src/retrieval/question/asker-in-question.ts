import { countWords } from '../../domain/words/text-query.ts'
import { hasTopic } from './topic-words.ts'

/** Finds in a question how it refers to the person who asks. Only in English. */

const request = /\b(?:can|could|would|will|do) you\b/gi

/** Words that only ask for help: "can you recommend", "you'd suggest". */
const helpRequest =
  /\b(?:(?:can|could|would|will) you|you(?:['’]d| would))(?: please)? (?:advise|explain|give|help|provide|recommend|remind|share|show|suggest|tell)\b/gi

/** Words that say what the reader of the question told: "did you recommend", "you once mentioned". */
const telling =
  /\b(?:(?:did|had|have) you(?: ever| once)? (?:advise|explain|give|list|mention|offer|provide|recommend|say|share|suggest|teach|tell)|(?:have you(?: ever| once)?|you(?:['’]ve|['’]d| have| had| once| already| also)*) (?:advised|explained|gave|given|listed|mentioned|offered|provided|recommended|said|shared|suggested|taught|told))\b/gi

/** What follows "the user" where a product is meant: "the user interface". */
const ofProduct =
  '(?:accounts?|agents?|authentication|data(?:base)?|experience|feedback|flows?|forms?|groups?|guides?|ids?|inputs?|interfaces?|lists?|login|management|manual|menu|models?|names?|pages?|permissions?|profiles?|registration|research|roles?|schema|service|sessions?|settings|stor(?:y|ies)|tables?|tests?)'

/** How an agent writes of the person it asks for and of itself, and how this person writes. "A user" may be one of a product. */
const persons: readonly [RegExp, string][] = [
  [/(?<!\b(?:an?|any|another|each|every|one) )\b(?:the )?user['’]s\b/gi, 'my'],
  [/^user(?= (?:likes?|preferences?|prefers)\b)/i, 'my'],
  [new RegExp(`\\bthe user\\b(?!-| ${ofProduct}\\b)`, 'gi'), 'I'],
  [/\bthe (?:AI )?assistant['’]s\b/gi, 'your'],
  [/\bthe (?:AI )?assistant\b(?!-)/gi, 'you'],
]

/** "What does the user like?" as this person asks it: "What does I like?". Quotes are asked for as they are. */
export function askAsUser(question: string): string {
  if (question.includes('"')) return question
  const asked = persons.reduce((text, [name, own]) => text.replace(name, own), question)
  return hasTopic(asked) ? asked : question
}

/** In words. A longer message tells much about its writer, and may ask about what an assistant wrote. */
const longestAboutAsker = 40

/**
 * Whether a question is about the person who asks: "What did I buy?" and "Can you remind me what I bought?", not "What did you
 * suggest to me?".
 */
export function isAboutAsker(question: string): boolean {
  return namesAsker(question) && countWords(question) <= longestAboutAsker
}

function namesAsker(question: string): boolean {
  const asked = question.replace(helpRequest, '').replace(request, '')
  return /\b(?:i|me|my|mine|myself)\b/i.test(asked) && !/\b(?:you|yours?)\b/i.test(asked)
}

/** Whether a question is about what an assistant told: "Which hotel did you recommend?". */
export function isAboutReplies(question: string): boolean {
  return question.search(telling) >= 0 && countWords(question) <= longestAboutAsker
}

/** Whether a question is about the person who asks, or wants help for that person: "Can you suggest a book?", "How do we deploy?". */
export function isForAsker(question: string): boolean {
  return namesAsker(question) || asksForHelp(question)
}

/** Whether a question wants help or advice: "What steps would you suggest?". */
export function asksForHelp(question: string): boolean {
  return help.test(question) || question.search(helpRequest) >= 0
}

/** Whether a question is about a question that was asked before: "Which questions did Ada ask me?". */
export function isAboutQuestions(question: string): boolean {
  return /\b(?:ask(?:s|ed|ing)?|questions?|wonder(?:s|ed|ing)?)\b/i.test(question)
}

const help =
  /\b(?:help (?:me|us)|(?:should|shall) (?:i|we)|(?:can|could|would|will) you|how (?:do|can|would|could) (?:i|we|you)|(?:any|some|good) (?:suggestions|recommendations|advice|tips|ideas|options))\b/i

/**
 * The question without the words that only ask for help or say who told something: "Can you recommend a hotel?" is about a hotel, and
 * "recommend" is in what is asked about everything else too. Unchanged where nothing else would be left, and with quotes, whose words
 * are asked for as they are.
 */
export function dropHelpRequest(question: string): string {
  if (question.includes('"')) return question
  const left = question.replace(helpRequest, ' ').replace(telling, ' ')
  return hasTopic(left) ? left : question
}
