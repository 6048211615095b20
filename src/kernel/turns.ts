const longestTurnMs = 20

/**
 * Maps the items one after the other, and lets other requests have their turn each time 20 ms have passed. The longest body has 1,000
 * long texts, which take most of a second.
 */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let startedMs = performance.now()
  for (const [index, item] of items.entries()) {
    results.push(map(item, index))
    if (performance.now() - startedMs < longestTurnMs) continue
    await new Promise(setImmediate)
    startedMs = performance.now()
  }
  return results
}
