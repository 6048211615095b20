import Type from 'typebox'
import { listStoringFaults } from '../http/validation/validation.ts'
import { AppError, type Fault } from '../kernel/errors.ts'
import { listPartFaults, readMessages, removeLeftOut } from './message-parts.ts'
import { type NewMessage, NewMessages } from './new-messages.schemas.ts'

/** Refuses values that cannot be stored, and parts without what their kind needs. An image is left out, so it may be of any size. */
export function requireStorable(given: NewMessages, bodyFault: AppError | undefined): void {
  if (bodyFault && bodyFault.code !== 'validation_failed') throw bodyFault
  const { messages } = given
  const unstorable = bodyFault
    ? listStoringFaults(NewMessages, { ...given, messages: messages.map(removeLeftOut) })
    : []
  const errors =
    unstorable.length > 0 ? unstorable : [...listPartFaults(messages), ...listArgumentFaults(messages)]
  if (errors.length > 0) throw new AppError('validation_failed', 'A message cannot be stored.', { errors })
}

/** Arguments can come as a text of JSON, in which the body shows no fault. */
function listArgumentFaults(messages: readonly NewMessage[]): Fault[] {
  return readMessages(messages).flatMap(({ calls, index }) =>
    listStoringFaults(Type.Unknown(), calls).map(({ message }) => ({
      pointer: `/messages/${index}`,
      message: `has a value in the arguments of a call that ${message}`,
    })),
  )
}
