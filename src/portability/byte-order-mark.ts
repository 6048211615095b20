/** Programs of Windows write it at the beginning of a text in UTF-8, where JSON does not allow it. */
const mark = Buffer.from([0xef, 0xbb, 0xbf])

export function removeByteOrderMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, mark.length).equals(mark) ? bytes.subarray(mark.length) : bytes
}

/** Yields the chunks without the mark at their beginning. */
export async function* skipByteOrderMark(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of chunks) {
    if (!head) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    // Only a beginning that may become the mark waits for more bytes.
    if (head.length < mark.length && mark.subarray(0, head.length).equals(head)) continue
    const first = removeByteOrderMark(head)
    head = undefined
    if (first.length > 0) yield first
  }
  if (head && head.length > 0) yield head
}
