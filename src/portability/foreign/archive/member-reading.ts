import { isUtf8 } from 'node:buffer'
import { AppError } from '../../../kernel/errors.ts'
import { removeByteOrderMark } from '../../byte-order-mark.ts'
import { maxLineBytes } from '../../line-limits.ts'
import { type ForeignFile, joinWithOr, type Reading, readItem, refuseFile } from '../items.ts'
import { splitWholeJson } from '../json-splitting.ts'
import { readZip } from './unzip.ts'

/** The items of one file of an archive, each as a function, so that one broken item does not affect the others. */
export type ItemReading = (line: number) => readonly Reading[]
export type MemberReading = (name: string, bytes: Buffer) => readonly ItemReading[]

/** The files of an archive that a format is read from, and the names by which people know them. */
export type IncludedFiles = { isIncluded: (name: string) => boolean; names: readonly string[] }

/** Whether a file is an archive, by its first bytes; an empty one begins with its directory. */
export function isArchive(head: Buffer): boolean {
  return ['PK\u0003\u0004', 'PK\u0005\u0006'].includes(head.toString('latin1', 0, 4))
}

/** Reads the included files of an archive. Items are numbered through all of them. An archive without any is refused. */
export async function* readMembers(
  file: ForeignFile,
  { isIncluded, names }: IncludedFiles,
  read: MemberReading,
): AsyncGenerator<Reading> {
  let line = 0
  let isFound = false
  try {
    for await (const { name, bytes } of readZip(file.chunks(), isIncluded, maxLineBytes)) {
      isFound = true
      for (const readOne of listItems(name, bytes, read)) {
        const place = ++line
        yield* readItem(place, () => readOne(place))
      }
    }
    if (!isFound)
      throw refuseFile('The archive has nothing of its format.', `has no file ${joinWithOr(names)}`)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    yield { line: line + 1, error }
  }
}

/** Reads files that are a list of items, or one item. */
export function readJsonMembers(
  file: ForeignFile,
  included: IncludedFiles,
  read: (value: unknown, line: number) => readonly Reading[],
): AsyncGenerator<Reading> {
  return readMembers(file, included, (_, bytes) =>
    listValues(bytes).map((value) => (line) => read(file.parse(value), line)),
  )
}

/** The items of an array, or a whole document of another kind. */
function listValues(bytes: Buffer): readonly Buffer[] {
  if (!/^\s*\[/.test(bytes.toString('latin1', 0, maxBlankBytes))) return [bytes]
  return [...splitWholeJson(bytes, bytes.length)].flatMap((part) => part.bytes ?? [])
}

/** Where an array begins. */
const maxBlankBytes = 1_024

/** A file that cannot be read is one refused item. */
function listItems(name: string, bytes: Buffer | undefined, read: MemberReading): readonly ItemReading[] {
  const refused = (error: AppError): ItemReading[] => [
    () => {
      throw error
    },
  ]
  if (!bytes)
    return refused(
      new AppError(
        'body_too_large',
        `A file of an archive may have at most ${maxLineBytes} bytes. Send a larger conversations.json unpacked.`,
      ),
    )
  try {
    return read(name, removeByteOrderMark(bytes))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return refused(error)
  }
}

/** The text of a file that is not JSON. */
export function readText(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  if (isUtf8(bytes) && !text.includes('\u0000')) return text
  throw new AppError('validation_failed', 'The text is not valid UTF-8, or has a null character.')
}

export function readBaseName(name: string): string {
  return name.split(/[/\\]/).at(-1) ?? name
}
