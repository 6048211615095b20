import Type from 'typebox'
import { listStoringFaults } from '../http/validation/validation.ts'
import { AppError, type Fault } from '../kernel/errors.ts'
import {
  listPartFaults,
  readMessages,
  removeLeftOut,
  type SaidMessage,
  type SaidMessages,
} from './message-parts.ts'
import { NewMessages } from './new-messages.schemas.ts'

/**
 * Reads messages. Refuses values that cannot be stored, and parts without what their kind needs. An image is left out, so it may be
 * of any size.
 */
export function readStorable(given: NewMessages, bodyFault: AppError | undefined): SaidMessages {
  if (bodyFault && bodyFault.code !== 'validation_failed') throw bodyFault
  const { messages } = given
  if (bodyFault) refuse(listStoringFaults(NewMessages, { ...given, messages: messages.map(removeLeftOut) }))
  const read = readMessages(messages)
  refuse([...listPartFaults(messages), ...listArgumentFaults(read)])
  return { ...given, messages: read }
}

function refuse(errors: readonly Fault[]): void {
  if (errors.length > 0) throw new AppError('validation_failed', 'A message cannot be stored.', { errors })
}

/** Arguments can come as a text of JSON, in which the body shows no fault. */
function listArgumentFaults(messages: readonly SaidMessage[]): Fault[] {
  return messages.flatMap(({ calls, index }) =>
    listStoringFaults(Type.Unknown(), calls).map(({ message }) => ({
      pointer: `/messages/${index}`,
      message: `has a value in the arguments of a call that ${message}`,
    })),
  )
}
