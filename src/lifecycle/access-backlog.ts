/** What is still to be written, as much of it as may be: what comes when it is full is counted and let go. */
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

    /** How many were let go since this was last asked. */
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
