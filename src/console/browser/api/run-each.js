/** Requests that are sent at the same time: a key may send a limited number in a second. */
const atOnce = 4

/**
 * Sends a request for each item, a few at a time.
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<unknown>} send must not fail: a failure ends the others
 */
export async function runEach(items, send) {
  const waiting = [...items]
  async function work() {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await send(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
