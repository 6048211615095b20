import { listStoringFaults } from '../http/validation/validation.ts'
import { AppError } from '../kernel/errors.ts'
import { listPartFaults, removeLeftOut } from './message-parts.ts'
import { NewMessages } from './new-messages.schemas.ts'

/** Refuses values that cannot be stored, and parts without what their kind needs. An image is left out, so it may be of any size. */
export function requireStorable(given: NewMessages, bodyFault: AppError | undefined): void {
  if (bodyFault && bodyFault.code !== 'validation_failed') throw bodyFault
  const { messages } = given
  const unstorable = bodyFault
    ? listStoringFaults(NewMessages, { ...given, messages: messages.map(removeLeftOut) })
    : []
  const errors = [...unstorable, ...listPartFaults(messages)]
  if (errors.length > 0) throw new AppError('validation_failed', 'A message cannot be stored.', { errors })
}
