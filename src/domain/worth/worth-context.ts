import { isAssistant, isTool, isToolOrSystem } from '../payloads/message-roles.ts'
import { removeCopied } from './copied-text.ts'
import { asksWithoutMarks, isQuestion } from './questions.ts'
import { isStatement } from './statements.ts'
import { type ConversationSignals, cutBeginning, type JudgedText, listWords } from './worth-parts.ts'
import { findPersons, readSpeaker, type WrittenMessage } from './written-message.ts'

type MessageInConversation = Pick<JudgedText, 'text'> &
  Required<Omit<ConversationSignals, 'usual'>> &
  Pick<ConversationSignals, 'usual'>

/** A word counts as new if it was not used in the last twenty messages. More messages change nothing on LoCoMo. */
export const noveltyWindow = 20

/** How many words a person or a tool usually writes at work; an assistant too, unless it writes more. */
const usualWords = 15
/** An assistant that talks with one person writes every second message. One that only listens writes no more than this. */
const maxOfListener = 1 / 3
/** A conversation in which a tool writes less is no work: an assistant looked something up once. */
const minOfTools = 1 / 16

/** Adds to each message what the judgement of it needs of the messages before. All are in the order of the conversation. */
export function placeInConversation(
  messages: readonly WrittenMessage[],
  before: readonly WrittenMessage[],
): MessageInConversation[] {
  const all = [...before, ...messages].map(readSpeaker)
  const words = all.map(({ text }) => listWords(text))
  return all.slice(before.length).map((written, index) => {
    const place = before.length + index
    const from = Math.max(0, place - noveltyWindow)
    const near = findPersons(all.slice(from, place + 1))
    const previous = near.at(-2)
    const message = near.at(-1) ?? written
    const isAdvice = isAssistant(message.role) && near.some(isOfPerson)
    return {
      text: message.text,
      role: message.role,
      speakers: new Set(near.flatMap(({ name }) => name?.split(' ') ?? [])),
      isAnswer:
        previous !== undefined &&
        nameWriter(previous) !== nameWriter(message) &&
        (isQuestion(previous.text) || (!isAdvice && asksWithoutMarks(previous.text))),
      isAdvice,
      isRequest:
        isOfPerson(message) &&
        near.some(isOfAssistant) &&
        !saysOfItself(message.text) &&
        !isStatement(message.text),
      mayCopy: isOfPerson(message) && holdsCopied(message) && !writesNotes(near),
      isRepeated: all.slice(from, place).some(({ text }) => isSame(text, message.text)),
      known: new Set(words.slice(from, place).flatMap((each) => [...each])),
      ...(isWork(near) ? { usual: computeUsual(message, near) } : {}),
    }
  })
}

function isSame(one: string, other: string): boolean {
  return one.trim() === other.trim()
}

function nameWriter({ name, role }: WrittenMessage): string {
  return name ?? role
}

function isOfAssistant({ role }: WrittenMessage): boolean {
  return isAssistant(role)
}

/** Only English texts can say nothing of their writer: other languages often leave the pronoun out. */
function saysOfItself(text: string): boolean {
  return firstPerson.test(text) || !english.test(text)
}
/** Not "me": in "tell me" a person says nothing of itself. */
const firstPerson = /\b(?:i|my|mine|we|ours?)\b/i
const english = /\b(?:the|of|what|how|you|this|that|for|with|and|please|it|are)\b/i

function isOfPerson({ role }: WrittenMessage): boolean {
  return !isAssistant(role) && !isToolOrSystem(role)
}

/** Persons whose messages mostly are long and impersonal copy nothing: this is how they write. */
function writesNotes(near: readonly WrittenMessage[]): boolean {
  const persons = near.filter(isOfPerson)
  const copied = persons.filter(({ text }) => removeCopied(text.slice(0, maxReadOfCopied)).isCopied)
  return copied.length > persons.length / 2
}

function holdsCopied({ text }: WrittenMessage): boolean {
  const read = text.slice(0, maxReadOfCopied)
  return removeCopied(read).text !== read
}
/** In characters. What is copied further below is not judged anyway. */
const maxReadOfCopied = 2_000

/** Tools take part, or several people and an assistant that only listens. */
function isWork(near: readonly WrittenMessage[]): boolean {
  const tools = near.filter(({ role }) => isTool(role))
  if (tools.length > 0 && tools.length >= near.length * minOfTools) return true
  const { length } = near.filter(isOfAssistant)
  return length > 0 && length <= near.length * maxOfListener
}

/** An assistant that always writes much says no more in a long message than another in a short one. */
function computeUsual({ role }: WrittenMessage, near: readonly WrittenMessage[]): number {
  if (!isAssistant(role)) return usualWords
  const counts = near.filter(isOfAssistant).map(countWords)
  return Math.max(usualWords, counts.reduce((sum, each) => sum + each, 0) / counts.length)
}

function countWords(message: WrittenMessage): number {
  return listWords(cutBeginning(message)).size
}
