/**
 * A queue of bounded length for items that wait to be written. Items that arrive when it is full are dropped and
 * counted.
 */
export function createBacklog<T>(capacity: number) {
  let waiting: T[] = []
  let dropped = 0

  return {
    add(items: readonly T[]): void {
      const room = Math.max(0, capacity - waiting.length)
      waiting.push(...items.slice(0, room))
      dropped += Math.max(0, items.length - room)
    },

    take(most: number): T[] {
      const taken = waiting.slice(0, most)
      waiting = waiting.slice(most)
      return taken
    },

    /** Returns how many items were dropped since the last call, and resets the count. */
    takeDropped(): number {
      const count = dropped
      dropped = 0
      return count
    },

    get size(): number {
      return waiting.length
    },
  }
}
