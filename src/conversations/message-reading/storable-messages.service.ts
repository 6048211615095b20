import Type from 'typebox'
import { hasInexactNumber, listStoringFaults } from '../../http/validation/validation.ts'
import { requireFewValues } from '../../http/validation/value-count.ts'
import { AppError, type Fault } from '../../kernel/errors.ts'
import { NewMessages } from '../new-messages.schemas.ts'
import { removeLeftOut } from './left-out-members.ts'
import { listPartFaults } from './message-faults.ts'
import { readMessages, type SaidMessage, type SaidMessages } from './said-messages.ts'
import { readTyped } from './typed-messages.ts'

/**
 * Reads messages. Refuses values that cannot be stored, and parts without what their kind needs. An image is left out, so it may be
 * of any size.
 */
export function readStorable(given: NewMessages, bodyFault: AppError | undefined): SaidMessages {
  if (bodyFault && bodyFault.code !== 'validation_failed') throw bodyFault
  const messages = given.messages.map(readTyped)
  // The schema of the route leaves messages with a type open.
  const isUnchecked = bodyFault || messages.some((message, index) => message !== given.messages[index])
  if (isUnchecked) refuse(listStoringFaults(NewMessages, { ...given, messages: messages.map(removeLeftOut) }))
  const read = readMessages(messages, hasInexactNumber)
  requireFewValues(read.map(({ calls }) => calls.map(({ args }) => args)))
  refuse([...listPartFaults(messages), ...read.flatMap(listReadFaults)])
  return { ...given, messages: read }
}

function refuse(errors: readonly Fault[]): void {
  if (errors.length > 0) throw new AppError('validation_failed', 'A message cannot be stored.', { errors })
}

/**
 * What is read of a message can have faults that its parts do not show: the texts of many parts are longer than each of them, a
 * transcript is of a part that is left out, and arguments can come as a text of JSON.
 */
function listReadFaults({ text, calls, index }: SaidMessage): Fault[] {
  const pointer = `/messages/${index}`
  const list = (value: unknown, what: string) =>
    listStoringFaults(Type.Unknown(), value).map(({ message }) => ({
      pointer,
      message: `has a ${what} that ${message}`,
    }))
  // In the record the calls are deeper than in the message.
  const stored = { payload: { tool_graph: calls } }
  return [...list(text, 'text'), ...list(stored, 'value in a call or a result')]
}
