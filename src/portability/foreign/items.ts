import { AppError, createFaultError } from '../../kernel/errors.ts'
import type { NewRecord } from '../../records/index.ts'
import type { Line } from '../line-limits.ts'

/** `to` is the source id of another item of the same format. */
export type Link = { predicate: string; to: string }

type Origin = {
  /** The line, or the position of the item, counted from 1 through the whole file. */
  line: number
  /** The id in the source, unique within the format. */
  source: string
}

export type RecordItem = Origin & {
  record: Pick<NewRecord, 'type' | 'payload' | 'tags' | 'lifecycle' | 'salience' | 'confidence'>
  /** When the source stored it. */
  createdAt?: string | undefined
  /** The reference of the source, when it is not the id. */
  ref?: string
  /** When it happened or was said. */
  happenedAt?: string | undefined
  links?: readonly Link[]
  /** Only named by another item. The report has no line for it. */
  isMention?: true
  /** The source has replaced or withdrawn it. */
  ended?: 'superseded' | 'invalidated' | undefined
  /** Source ids of the versions before and after. */
  supersedes?: string | undefined
  supersededBy?: string | undefined
}

export type MessageItem = Origin & {
  /** Where the item in the file has the message, as a pointer. */
  place: string
  message: { conversation: string; id: string; role: string; name?: string | undefined; content: string }
  at: string | undefined
  /** How many messages of the conversation have the same time and come before. */
  before: number
}

export type Item = RecordItem | MessageItem
export type Refused = { line: number; error: AppError }
export type Reading = Item | Refused

/** A file while it arrives. Only one of the two ways to read it can be used, and only once. */
export type ForeignFile = {
  /** Its beginning, which can also be read again. */
  head: Buffer
  chunks(): AsyncIterable<Buffer>
  lines(): AsyncIterable<Line>
  /** Parses JSON and refuses what cannot be stored. A number that is too large is given as a text. */
  parse(bytes: Buffer): unknown
}

export type Reader = (file: ForeignFile) => AsyncIterable<Reading>

/** The error for a file that is as a whole not of its format. */
export function createWrongFormatError(detail: string, message: string): AppError {
  return createFaultError(detail, { pointer: '', message })
}

export function joinWithOr(names: readonly string[]): string {
  return names.join(', ').replace(/, (?=[^,]*$)/, ' or ')
}

/** The readings of one item, or the error that refuses it. */
export function readItem(line: number, read: () => readonly Reading[]): readonly Reading[] {
  try {
    return read()
  } catch (error) {
    return [refuseItem(line, error)]
  }
}

/** The reading of an item that is refused. What is no refusal is thrown. */
export function refuseItem(line: number, error: unknown): Refused {
  if (!(error instanceof AppError)) throw error
  return { line, error }
}
