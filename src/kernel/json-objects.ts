export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a JSON value is an object or an array, and so has values of its own. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Whether a JSON value is an object, and no array or null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
