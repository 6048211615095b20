/**
 * Every text inside a JSON value normalised, and the fields of its objects in one order, so that the same thing
 * said again is the same value. Bodies nest at most 100 levels deep.
 */
export function normaliseJson(value: unknown, normalise: (text: string) => string): unknown {
  if (typeof value === 'string') return normalise(value)
  if (Array.isArray(value)) return value.map((inner) => normaliseJson(inner, normalise))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    normalise(key),
    normaliseJson(inner, normalise),
  ])
  return entries.sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
}
