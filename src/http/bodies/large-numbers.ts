import { endOfNumber, endOfString, isChanged } from './body-scan.ts'

const quote = 0x22
const minus = 0x2d
const zero = 0x30
const nine = 0x39

/** Returns the JSON with each number that JSON.parse would change as a text, so that no digit is lost. */
export function quoteLargeNumbers(json: Buffer): Buffer {
  // The shortest number that is too large has four bytes, and two quotes are added.
  const quoted = Buffer.allocUnsafe(Math.ceil(json.length * 1.5))
  let size = 0
  let kept = 0
  const keepUntil = (at: number) => {
    size += json.copy(quoted, size, kept, at)
    kept = at
  }
  for (let at = 0; at < json.length; ) {
    const byte = json[at] ?? 0
    if (byte === quote) at = endOfString(json, at)
    else if (byte === minus || (byte >= zero && byte <= nine)) {
      const end = endOfNumber(json, at)
      if (isChanged(json, at, end)) {
        keepUntil(at)
        quoted[size++] = quote
        keepUntil(end)
        quoted[size++] = quote
      }
      at = end
    } else at++
  }
  keepUntil(json.length)
  return quoted.subarray(0, size)
}
