import { isUtf8 } from 'node:buffer'
import { collectBytes } from '../../../kernel/collections/collected-bytes.ts'
import { AppError } from '../../../kernel/errors.ts'
import { removeByteOrderMark, skipByteOrderMark } from '../../byte-order-mark.ts'
import { maxLineBytes } from '../../line-limits.ts'
import { createWrongFormatError, type ForeignFile, joinWithOr, type Reading, readItem } from '../items.ts'
import { splitJson } from '../json-splitting.ts'
import { parsePart } from '../part-reading.ts'
import { type Member, readZip } from './unzip.ts'

/** One item of a file of an archive, as a function, so that a broken item does not affect the others. */
export type ItemReading = (line: number) => readonly Reading[]
export type MemberReading = (name: string, bytes: Buffer) => readonly ItemReading[]

/** The files of an archive that a format is read from, and the names by which people know them. */
export type IncludedFiles = { isIncluded: (name: string) => boolean; names: readonly string[] }

/** Whether a file is an archive, by its first bytes; an empty one begins with its directory. */
export function isArchive(head: Buffer): boolean {
  return ['PK\u0003\u0004', 'PK\u0005\u0006'].includes(head.toString('latin1', 0, 4))
}

/** Reads the included files of an archive one after the other, each as a whole. */
export function readMembers(
  file: ForeignFile,
  included: IncludedFiles,
  read: MemberReading,
): AsyncGenerator<Reading> {
  return readEachMember(file, included, async function* ({ name, chunks }) {
    yield* read(name, removeByteOrderMark(await readWhole(chunks)))
  })
}

/** Reads files that are a list of items, or one item. A list may be of any length. */
export function readJsonMembers(
  file: ForeignFile,
  included: IncludedFiles,
  read: (value: unknown, line: number) => readonly Reading[],
): AsyncGenerator<Reading> {
  return readEachMember(file, included, async function* ({ chunks }) {
    for await (const bytes of readValues(skipByteOrderMark(chunks)))
      yield (line) => read(parsePart(file, bytes), line)
  })
}

/** Items are numbered through all files. A file that cannot be read is one refused item. An archive without any is refused. */
async function* readEachMember(
  file: ForeignFile,
  { isIncluded, names }: IncludedFiles,
  listItems: (member: Member) => AsyncIterable<ItemReading>,
): AsyncGenerator<Reading> {
  let line = 0
  let isFound = false
  try {
    for await (const member of readZip(file.chunks(), isIncluded)) {
      isFound = true
      try {
        for await (const readOne of listItems(member)) {
          const place = ++line
          yield* readItem(place, () => readOne(place))
        }
      } catch (error) {
        if (!(error instanceof AppError) || member.isArchiveBroken()) throw error
        yield { line: ++line, error }
      }
    }
    if (!isFound)
      throw createWrongFormatError(
        'The archive has nothing of its format.',
        `has no file ${joinWithOr(names)}`,
      )
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    yield { line: line + 1, error }
  }
}

/** The items of an array, or a whole document of another kind; undefined for an item that is too large. */
async function* readValues(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  const { first, rest } = await readBeginning(chunks)
  if (!/^\s*\[/.test(first.toString('latin1'))) yield await readWhole(rest)
  else for await (const { bytes } of splitJson(rest, () => {})) yield bytes
}

/** The first chunk that is not blank, and all chunks from it on. */
async function readBeginning(
  chunks: AsyncIterable<Buffer>,
): Promise<{ first: Buffer; rest: AsyncIterable<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]()
  let given = await iterator.next()
  while (!given.done && given.value.toString('latin1').trim() === '') given = await iterator.next()
  const first = given.done ? Buffer.alloc(0) : given.value
  async function* readRest() {
    yield first
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
  }
  return { first, rest: readRest() }
}

async function readWhole(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const bytes = await collectBytes(chunks, maxLineBytes)
  if (bytes) return bytes
  throw new AppError('body_too_large', `A file of an archive may have at most ${maxLineBytes} bytes.`)
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
