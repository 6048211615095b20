import Format from 'typebox/format'

const dateTime = Format.Get('date-time')
/** At most 9 digits of a second, and an offset below 16 hours, which PostgreSQL can read. */
const shape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-](0\d|1[0-5]):\d{2})$/
const firstInstant = Date.parse('0001-01-01T00:00:00.000Z')
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Refuses times that JavaScript or PostgreSQL cannot store. The built-in check accepts leap seconds and offsets that
 * leave the calendar; both become an Invalid Date, and then a 500 instead of a 422.
 */
function isStorableTime(text: string): boolean {
  if (!shape.test(text) || dateTime?.(text) === false) return false
  const instant = Date.parse(text)
  return instant >= firstInstant && instant <= lastInstant
}

/** Formats are global in TypeBox; call this before compiling a schema for requests. */
export function registerFormats(): void {
  Format.Set('date-time', isStorableTime)
}
