import { type AppError, createFaultError } from '../../kernel/errors.ts'

/**
 * Limit of fields and items in one body. 10 MiB can contain millions, and each is validated, compared and stored on
 * the one thread that serves all clients. A batch of 1,000 records may have 250 for each record.
 */
export const maxValues = 250_000

/** Refuses values that came as texts of JSON in a body, where they are not counted, if a body may not have so many. */
export function requireFewValues(parsed: unknown): void {
  let values = 0
  const stack = [parsed]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (typeof top !== 'object' || top === null) continue
    const members: unknown[] = Array.isArray(top) ? top : Object.values(top)
    values += members.length
    if (values > maxValues) throw createTooManyValuesError(maxValues)
    for (const each of members) if (typeof each === 'object' && each !== null) stack.push(each)
  }
}

export function createTooManyValuesError(most: number): AppError {
  return createFaultError('The body has too many fields.', {
    pointer: '',
    message: `must have at most ${most} fields and items`,
  })
}
