import { AppError } from '../../kernel/errors.ts'
import { maxLineBytes } from '../line-limits.ts'
import { createWrongFormatError, type ForeignFile, joinWithOr, type Reading, readItem } from './items.ts'
import { splitJson } from './json-splitting.ts'

/** Reads one part of a document. `line` is the position of the part in the lists that the format has. */
export type PartReading = (value: unknown, line: number, list: string) => readonly Reading[]

/**
 * Reads a JSON document part by part. Parts of other lists than the given ones are passed over. A document that is
 * broken, ends early or has none of the lists gives a last refused line.
 */
export async function* readParts(
  file: ForeignFile,
  lists: ReadonlySet<string>,
  read: PartReading,
): AsyncGenerator<Reading> {
  let line = 0
  let hasList = false
  const seeList = (name: string) => {
    hasList ||= lists.has(name)
  }
  try {
    for await (const { list, bytes } of splitJson(file.chunks(), seeList)) {
      if (!lists.has(list)) continue
      const place = ++line
      yield* readItem(place, () => read(parsePart(file, bytes), place, list))
    }
    if (line === 0 && !hasList) yield { line: 1, error: createEmptyDocumentError(lists) }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'malformed_json') throw error
    yield { line: line + 1, error }
  }
}

/** Reads lines of JSON, one item or several in each. */
export async function* readJsonLines(file: ForeignFile, read: PartReading): AsyncGenerator<Reading> {
  for await (const { line, bytes } of file.lines())
    yield* readItem(line, () => read(parsePart(file, bytes), line, ''))
}

function createEmptyDocumentError(lists: ReadonlySet<string>): AppError {
  const members = joinWithOr([...lists].filter((name) => name !== ''))
  const message = `must ${lists.has('') ? 'be a list, or ' : ''}have a member ${members}`
  return createWrongFormatError('The document has nothing of its format.', message)
}

/** An item that is undefined was too large. */
export function parsePart(file: ForeignFile, bytes: Buffer | undefined): unknown {
  if (bytes) return file.parse(bytes)
  throw new AppError('body_too_large', `An item may have at most ${maxLineBytes} bytes.`)
}
