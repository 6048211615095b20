/**
 * Writes JSON in which equal values are equal texts: fields sorted by name, absent ones left out. Written by hand: a
 * replacer of JSON.stringify that sorts copies every object, which took a second for 300,000 fields.
 */
export function formatCanonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || hasOwnText(value)) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((each) => formatCanonicalJson(each) ?? 'null').join(',')}]`
  const fields: string[] = []
  for (const key of orderKeys(Object.keys(value))) {
    const text = formatCanonicalJson(Reflect.get(value, key))
    if (text !== undefined) fields.push(`${JSON.stringify(key)}:${text}`)
  }
  return `{${fields.join(',')}}`
}

/** A date, for example. A member `toJSON` of a body is a field as any other. */
function hasOwnText(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

/** Names that are array indexes come first, by number, as JavaScript orders them; the others follow by code unit. */
function orderKeys(keys: string[]): string[] {
  const names = keys.findIndex((key) => !isIndex(key))
  if (names < 0) return keys
  return [...keys.slice(0, names), ...keys.slice(names).sort()]
}

function isIndex(key: string): boolean {
  return /^(0|[1-9]\d{0,9})$/.test(key) && Number(key) < 2 ** 32 - 1
}
