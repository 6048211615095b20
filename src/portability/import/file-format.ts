import { AppError } from '../../kernel/errors.ts'
import {
  type DetectedFormat,
  detectFormat,
  findShownFormat,
  isGzip,
  isUtf16,
} from '../foreign/format-detection.ts'
import { foreignFormats } from '../foreign/formats.ts'

/** The least that a reader looks at before it reads. */
const minHead = 256
/** The mark of UTF-16 has two bytes. */
const markBytes = 2

type Said = {
  /** The format that the request names. */
  named: DetectedFormat | undefined
  scope: string | undefined
  mediaType: string | undefined
  /** Whether the media type is that of lines of JSON. */
  isLines: boolean
}

/** Whether the beginning of a file is enough to choose its format, or to refuse it. */
export function showsFormat(bytes: Buffer, { named, isLines }: Said): boolean {
  if (named !== undefined) return bytes.length >= (named === 'membrane' ? markBytes : minHead)
  return isUtf16(bytes) || findShownFormat(bytes) !== undefined || (isLines && bytes.includes('\n'))
}

/** Chooses the format of a file by what the request says of it and by its beginning. Refuses a file that cannot be read. */
export function chooseFormat(head: Buffer, said: Said): DetectedFormat {
  const { named, isLines } = said
  if (isUtf16(head)) throw createFileError(utf16)
  if (isGzip(head)) throw createFileError(packed)
  if (isEmpty(head) && !mayBeEmpty(said)) throw createFileError(empty)
  const format = named ?? detectFormat(head) ?? (isLines || head.length === 0 ? 'membrane' : undefined)
  if (format === undefined) throw createFileError(unknownFormat)
  return format
}

function mayBeEmpty({ named, scope, mediaType, isLines }: Said): boolean {
  if (named !== undefined) return hasLines(named)
  return mediaType === undefined || (isLines && scope === undefined)
}

/** An export of an empty store, and the file of an empty MCP memory, have no line. */
function hasLines(format: DetectedFormat): boolean {
  return format === 'membrane' || format === 'mcp-memory'
}

/** A shorter beginning than a reader looks at is the whole file. */
function isEmpty(head: Buffer): boolean {
  return head.length < minHead && head.toString().trim() === ''
}

const utf16 = 'The file is in UTF-16. Send it in UTF-8.'
const packed = 'The file is packed with gzip. Unpack it, and send the file in it.'
const empty = 'The file is empty, so nothing was imported. Check the path, or export the file again.'
const unknownFormat = `The beginning of the file shows no known format. If it is one of ${foreignFormats.join(', ')}, name it with the parameter format. Send records of Membrane as lines of JSON, with the Content-Type application/x-ndjson, and a list of {role, content} to POST /v1/conversations/{conversation_id}/messages.`

function createFileError(message: string): AppError {
  return new AppError('unsupported_media_type', message)
}
