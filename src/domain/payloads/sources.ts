/** The most sources that a payload or a provenance lists. The edges to the episodes list all of them. */
const maxSources = 1_000

/** Keeps the first source, because it says where the record comes from, and the newest ones. */
export function addSources<T>(sources: readonly T[], added: readonly T[]): T[] {
  const [first, ...others] = [...sources, ...added]
  return first === undefined ? [] : [first, ...others.slice(1 - maxSources)]
}
