/** Reserves the keys of one capture among several: all of them, or none and false if another capture has one of them. */
export function reserveAll(taken: Set<string>, keys: readonly string[]): boolean {
  if (keys.some((key) => taken.has(key))) return false
  for (const key of keys) taken.add(key)
  return true
}
