import { isAssistant } from '../payloads/message-roles.ts'
import { readSpeakerLabel } from '../words/speaker-label.ts'

/** A message of a conversation, as far as its worth depends on it. */
export type WrittenMessage = { role: string; name?: string | undefined; text: string }

/** The message with the name that its text begins with, if it has no other: "Ada: Hello". */
export function readSpeaker(message: WrittenMessage): WrittenMessage {
  const labelled = readSpeakerLabel(message.text)
  if (labelled === undefined || (message.name !== undefined && message.name !== labelled.name)) return message
  return { ...message, name: labelled.name, text: labelled.said }
}

/** Names of what is no person. */
const ofMachine =
  /\b(?:agent|ai|assistant|bot|chat-?(?:bot|gpt)|claude|copilot|desk|gemini|gpt|help|model|support|system)\b/i
/** In characters. An assistant mostly writes longer answers. */
const longestOfPerson = 300

/**
 * The messages, with the role `user` for an assistant that is a person: a client that knows no other roles stores a chat of two people
 * with the role `assistant` for one of them. Such an assistant has a name and writes short messages.
 */
export function findPersons(messages: readonly WrittenMessage[]): readonly WrittenMessage[] {
  const assistants = messages.filter(({ role }) => isAssistant(role))
  const letters = assistants.reduce((sum, { text }) => sum + text.length, 0)
  const arePersons =
    letters <= assistants.length * longestOfPerson &&
    assistants.every(({ name }) => name !== undefined && !ofMachine.test(name))
  return arePersons
    ? messages.map((each) => (isAssistant(each.role) ? { ...each, role: 'user' } : each))
    : messages
}
