/** Leaves out what is null or undefined: a field of an answer that has no value is absent. */
export function omitNulls<T extends object>(fields: NoInfer<Nullable<T>>): T {
  const filled = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(filled) as T
}

/** Optional fields may also be null or undefined. A field in which null has a meaning is refused: it would be lost. */
type Nullable<T> = T extends object
  ? {
      [K in keyof T]: null extends T[K] ? never : object extends Pick<T, K> ? T[K] | null | undefined : T[K]
    }
  : never
