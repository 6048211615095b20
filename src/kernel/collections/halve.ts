/** Returns the two halves of a group that fails; nothing for a single item, which is then known to be the cause. */
export function halve<Item>(group: readonly Item[]): Item[][] {
  if (group.length < 2) return []
  const middle = Math.ceil(group.length / 2)
  return [group.slice(0, middle), group.slice(middle)]
}
