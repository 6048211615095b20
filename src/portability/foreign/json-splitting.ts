import { CollectedBytes } from '../../kernel/collections/collected-bytes.ts'
import { AppError } from '../../kernel/errors.ts'
import { maxLineBytes } from '../line-limits.ts'

/**
 * One value of a large JSON document: an item of the outermost array, an item of an array that is a member of the
 * outermost object, or any other member. `list` is the name of the member, empty for the outermost array. `bytes` is
 * undefined when the value is too large.
 */
export type JsonPart = { list: string; bytes: Buffer | undefined }

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const openObject = 0x7b
const closeObject = 0x7d
const openArray = 0x5b
const closeArray = 0x5d
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
const maxKeyBytes = 1_024

/**
 * Splits a document of any length while it arrives. It follows only strings and brackets; each part is parsed later, so
 * a part with broken JSON does not affect the others. Calls `onList` with the name of each array whose items are parts.
 * Throws when the document is no array or object, or ends early.
 */
export async function* splitJson(
  chunks: AsyncIterable<Buffer>,
  onList: (name: string) => void,
): AsyncGenerator<JsonPart> {
  const scanner = createScanner(onList)
  for await (const chunk of chunks) yield* scanner.read(chunk)
  if (!scanner.isComplete()) throw new AppError('malformed_json', 'The document ends early.')
}

type Mode = 'before' | 'key' | 'value' | 'after'

function createScanner(onList: (name: string) => void) {
  const value = new CollectedBytes(maxLineBytes)
  const key = new CollectedBytes(maxKeyBytes)
  let mode: Mode = 'before'
  let isObject = false
  /** Inside a member that is an array, whose items are the parts. */
  let isInList = false
  let list = ''
  /** How many arrays and objects are open inside the part. */
  let inner = 0
  let isInString = false
  let isEscaped = false
  /** Where the key or the part begins in this chunk; -1 between them. */
  let start = -1

  function begin(byte: number): void {
    if (byte !== openObject && byte !== openArray)
      throw new AppError('malformed_json', 'The document is neither a JSON array nor a JSON object.')
    isObject = byte === openObject
    if (!isObject) onList('')
    mode = isObject ? 'key' : 'value'
  }

  function readString(byte: number): void {
    if (isEscaped) isEscaped = false
    else if (byte === backslash) isEscaped = true
    else if (byte === quote) isInString = false
  }

  function readKey(byte: number, chunk: Buffer, at: number): void {
    if (start < 0) start = at
    if (byte === quote) isInString = true
    if (byte !== colon && byte !== closeObject) return
    key.add(chunk.subarray(start, at))
    start = -1
    list = parseKey(key.take())
    mode = byte === colon ? 'value' : 'after'
  }

  /** Reads a byte that no array or object of a part encloses. */
  function readEdge(byte: number): 'ends' | 'skipped' | 'belongs' {
    if (byte === comma || byte === closeArray || byte === closeObject) return 'ends'
    if (start >= 0 || !value.isEmpty) return 'belongs'
    if (byte === openArray && isObject && !isInList) {
      isInList = true
      onList(list)
      return 'skipped'
    }
    return blanks.has(byte) ? 'skipped' : 'belongs'
  }

  function readValue(byte: number, chunk: Buffer, at: number): JsonPart | undefined {
    const edge = inner === 0 ? readEdge(byte) : 'belongs'
    if (edge === 'ends') return endPart(byte, chunk, at)
    if (edge === 'skipped') return undefined
    if (start < 0) start = at
    follow(byte)
    return undefined
  }

  function follow(byte: number): void {
    if (byte === quote) isInString = true
    else if (byte === openObject || byte === openArray) inner++
    else if (byte === closeObject || byte === closeArray) inner--
  }

  /** Ends the part at a comma or a closing bracket. */
  function endPart(byte: number, chunk: Buffer, at: number): JsonPart | undefined {
    if (start >= 0) value.add(chunk.subarray(start, at))
    start = -1
    const part = value.isEmpty ? undefined : { list, bytes: value.take() }
    if (byte === comma) mode = isObject && !isInList ? 'key' : 'value'
    else if (isInList) isInList = false
    else mode = 'after'
    return part
  }

  function readBetween(byte: number, chunk: Buffer, at: number): void {
    if (blanks.has(byte)) return
    if (mode === 'key') readKey(byte, chunk, at)
    else if (mode === 'before') begin(byte)
    else throw new AppError('malformed_json', 'The document continues after its end.')
  }

  /** Keeps what the chunk has of a key or part, which continues at the first byte of the next chunk. */
  function keepRest(chunk: Buffer): void {
    if (start < 0) return
    const collector = mode === 'key' ? key : value
    collector.add(chunk.subarray(start))
    start = 0
  }

  function* read(chunk: Buffer): Generator<JsonPart> {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (isInString) readString(byte)
      else if (mode === 'value') {
        const part = readValue(byte, chunk, at)
        if (part) yield part
      } else readBetween(byte, chunk, at)
    }
    keepRest(chunk)
  }

  return { read, isComplete: () => mode === 'after' }
}

function parseKey(bytes: Buffer | undefined): string {
  try {
    const name: unknown = JSON.parse(bytes?.toString('utf8') ?? '')
    return typeof name === 'string' ? name : ''
  } catch {
    return ''
  }
}
