import { isQuestion, type JudgedText, listWords } from './worth-parts.ts'

export type Said = { role: string; name?: string; text: string }

export type Placed = Pick<JudgedText, 'text' | 'role'> &
  Required<Pick<JudgedText, 'speakers' | 'isAnswer' | 'known'>>

/** A word that was not used in so many messages counts as new. More messages change nothing on LoCoMo. */
export const recallReach = 20

/** What judging each message needs to know of the messages before it. All are in the order of the conversation. */
export function placeInConversation(messages: readonly Said[], before: readonly Said[]): Placed[] {
  const all = [...before, ...messages]
  const words = all.map(({ text }) => listWords(text))
  return messages.map((message, index) => {
    const place = before.length + index
    const from = Math.max(0, place - recallReach)
    const previous = all[place - 1]
    return {
      ...{ text: message.text, role: message.role },
      speakers: new Set(all.slice(from, place + 1).flatMap(({ name }) => name?.split(' ') ?? [])),
      isAnswer:
        previous !== undefined && writerOf(previous) !== writerOf(message) && isQuestion(previous.text),
      known: new Set(words.slice(from, place).flatMap((each) => [...each])),
    }
  })
}

function writerOf({ name, role }: Said): string {
  return name ?? role
}
