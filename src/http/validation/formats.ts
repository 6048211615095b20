import Format from 'typebox/format'

const dateTime = Format.Get('date-time')
/** Finer than microseconds PostgreSQL would round, so a time would not be read back as it was written. */
const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/
const firstInstant = Date.parse('0001-01-01T00:00:00.000Z')
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * The built-in check follows RFC 3339 to leap seconds and offsets that fall out of the calendar; both pass it
 * and then become an Invalid Date, a 500 in place of a 422.
 */
function isStorableTime(text: string): boolean {
  if (!shape.test(text) || dateTime?.(text) === false) return false
  const instant = Date.parse(text)
  return instant >= firstInstant && instant <= lastInstant
}

/** Formats are global to TypeBox; whoever compiles a schema for requests calls this first. */
export function registerFormats(): void {
  Format.Set('date-time', isStorableTime)
}
