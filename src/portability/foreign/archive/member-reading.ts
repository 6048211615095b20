import { isUtf8 } from 'node:buffer'
import { AppError } from '../../../kernel/errors.ts'
import { maxLineBytes } from '../../line-limits.ts'
import { type ForeignFile, type Item, type Reading, readItem } from '../items.ts'
import { readZip } from './unzip.ts'

/** The items of one file of an archive, each as a function, so that one broken item does not affect the others. */
export type ItemReading = (line: number) => readonly Item[]
export type MemberReading = (name: string, bytes: Buffer) => readonly ItemReading[]

/** Whether a file is an archive, by its first bytes. */
export function isArchive(head: Buffer): boolean {
  return head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004', 'latin1'))
}

/** Reads the wanted files of an archive. Items are numbered through all of them. */
export async function* readMembers(
  file: ForeignFile,
  isWanted: (name: string) => boolean,
  read: MemberReading,
): AsyncGenerator<Reading> {
  let line = 0
  try {
    for await (const { name, bytes } of readZip(file.chunks(), isWanted, maxLineBytes)) {
      for (const readOne of listItems(name, bytes, read)) {
        const place = ++line
        yield* readItem(place, () => readOne(place))
      }
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    yield { line: line + 1, error }
  }
}

/** Reads files that are a list of items, or one item. */
export function readJsonMembers(
  file: ForeignFile,
  memberName: RegExp,
  read: (value: unknown, line: number) => readonly Item[],
): AsyncGenerator<Reading> {
  return readMembers(
    file,
    (name) => memberName.test(name),
    (_, bytes) => {
      const value = file.parse(bytes)
      return (Array.isArray(value) ? value : [value]).map((each) => (line) => read(each, line))
    },
  )
}

/** A file that cannot be read is one refused item. */
function listItems(name: string, bytes: Buffer | undefined, read: MemberReading): readonly ItemReading[] {
  const refused = (error: AppError): ItemReading[] => [
    () => {
      throw error
    },
  ]
  if (!bytes)
    return refused(
      new AppError('body_too_large', `A file of an archive may have at most ${maxLineBytes} bytes.`),
    )
  try {
    return read(name, bytes)
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

export function baseName(name: string): string {
  return name.split(/[/\\]/).at(-1) ?? name
}
