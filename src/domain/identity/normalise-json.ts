import { compareTexts } from '../../kernel/text-order.ts'

/**
 * Normalises every text inside a JSON value and sorts the members of objects, so that equal content gives an equal
 * value. Request bodies nest at most 100 levels deep, so the recursion is safe.
 */
export function normaliseJson(value: unknown, normalise: (text: string) => string): unknown {
  if (typeof value === 'string') return normalise(value)
  if (Array.isArray(value)) return value.map((inner) => normaliseJson(inner, normalise))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    normalise(key),
    normaliseJson(inner, normalise),
  ])
  return entries.sort(([one], [other]) => compareTexts(one, other))
}
