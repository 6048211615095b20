/**
 * Yields what a source yields, and asks for the next item while the last one is used. A reader that stops early does not
 * wait for the item that it asked for, which may never come.
 */
export async function* readAhead<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const items = source[Symbol.asyncIterator]()
  const request = () => {
    const item = items.next()
    // Its failure is thrown where it is awaited, which may be later.
    item.catch(() => {})
    return item
  }
  try {
    for (let next = request(); ; ) {
      const { done, value } = await next
      if (done) return
      next = request()
      yield value
    }
  } finally {
    items.return?.().catch(() => {})
  }
}
