import { once } from 'node:events'
import { createInflateRaw } from 'node:zlib'
import { createFaultError } from '../../../kernel/errors.ts'
import { ByteReader, createBrokenArchiveError } from './byte-reader.ts'

/**
 * One file of a ZIP archive while it is unpacked. The name is only a text: nothing is written under it. A reader may stop
 * early. `isArchiveBroken` tells whether the archive, and not only what the file says, is at fault for an error.
 */
export type Member = { name: string; chunks: AsyncIterable<Buffer>; isArchiveBroken: () => boolean }

const signatures = { member: 0x04034b50, descriptor: 0x08074b50 }
/** The two bytes with which every signature begins. */
const signatureStart = 0x4b50
const methods = { stored: 0, deflated: 8 }
const headerBytes = 26
/** The sizes come after the data. */
const hasDescriptor = 0x08
const isEncrypted = 0x01
/** Enough for the export of a large account. More would be an archive made to keep the service busy. */
const maxTotalBytes = 4 * 1_024 ** 3

type Header = { name: string; method: number; flags: number; packed: number }

/**
 * Reads a ZIP archive while it arrives, a piece of one file in memory at a time. Files that are not included are passed
 * over. The directory at the end of the archive is not read, so it cannot contradict the files.
 */
export async function* readZip(
  chunks: AsyncIterable<Buffer>,
  isIncluded: (name: string) => boolean,
): AsyncGenerator<Member> {
  const reader = new ByteReader(chunks)
  const state = { total: 0, isBroken: false }
  for (let header = await readHeader(reader); header; header = await readHeader(reader)) {
    const { name } = header
    const isRead = isIncluded(name)
    const data = observe(readData(reader, header, isRead), state)
    try {
      if (isRead) {
        const shown = isReadable(header) ? withoutReturn(data) : refuseMember(name)
        yield { name, chunks: shown, isArchiveBroken: () => state.isBroken }
      }
      for await (const _ of data);
    } finally {
      await data.return(undefined)
    }
  }
}

/** Counts the bytes of all files, and notes when reading them fails. */
async function* observe(
  data: AsyncIterable<Buffer>,
  state: { total: number; isBroken: boolean },
): AsyncGenerator<Buffer> {
  try {
    for await (const part of data) {
      state.total += part.length
      if (state.total > maxTotalBytes)
        throw createBrokenArchiveError(`The files of the archive have more than ${maxTotalBytes} bytes.`)
      yield part
    }
  } catch (error) {
    state.isBroken = true
    throw error
  }
}

/** A reader that stops early leaves the rest, which must be read before the next file. */
function withoutReturn(data: AsyncGenerator<Buffer>): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => ({ next: () => data.next() }) }
}

// biome-ignore lint/correctness/useYield: it stands for the data of a file.
async function* refuseMember(name: string): AsyncGenerator<Buffer> {
  throw createFaultError(`The file ${name.slice(0, 200)} of the archive cannot be unpacked.`, {
    pointer: '',
    message: 'is encrypted, or packed in another way than by DEFLATE',
  })
}

/** Undefined where the files end and the directory begins. */
async function readHeader(reader: ByteReader): Promise<Header | undefined> {
  const signature = (await reader.take(4)).readUInt32LE(0)
  if (signature !== signatures.member) {
    if ((signature & 0xffff) !== signatureStart) throw createBrokenArchiveError('The archive is broken.')
    return undefined
  }
  const fields = await reader.take(headerBytes)
  const name = (await reader.take(fields.readUInt16LE(22))).toString('utf8')
  const extra = await reader.take(fields.readUInt16LE(24))
  const flags = fields.readUInt16LE(2)
  const method = fields.readUInt16LE(4)
  return { name, flags, method, packed: readPackedSize(fields.readUInt32LE(14), extra) }
}

const wideSize = 0xffffffff

/** A large size is in an extra field: the size of the file, and then that of its data. */
function readPackedSize(size: number, extra: Buffer): number {
  if (size !== wideSize) return size
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === 1 && at + 20 <= extra.length) return Number(extra.readBigUInt64LE(at + 12))
  throw createBrokenArchiveError('The archive is broken.')
}

function isReadable({ flags, method }: Header): boolean {
  return (flags & isEncrypted) === 0 && (method === methods.deflated || method === methods.stored)
}

async function* readData(reader: ByteReader, header: Header, isRead: boolean): AsyncGenerator<Buffer> {
  const { name, flags, method, packed } = header
  const isSized = (flags & hasDescriptor) === 0
  if (isReadable(header) && method === methods.deflated && (isRead || !isSized)) {
    yield* inflate(reader, isSized ? packed : Number.POSITIVE_INFINITY)
    if (!isSized) await skipDescriptor(reader)
    return
  }
  if (!isSized) throw createBrokenArchiveError(`The file ${name.slice(0, 200)} does not say where it ends.`)
  if (isReadable(header)) yield* reader.read(packed)
  else await reader.skip(packed)
}

/** Unpacks data up to its end. What follows the data stays unread. */
async function* inflate(reader: ByteReader, packed: number): AsyncGenerator<Buffer> {
  const unpacking = startUnpacking()
  try {
    const given = yield* feed(reader, unpacking, packed)
    if (packed !== Number.POSITIVE_INFINITY) await reader.skip(packed - given)
    yield* await unpacking.finish()
  } catch (error) {
    throw error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
      ? createBrokenArchiveError('A file of the archive is broken.')
      : error
  } finally {
    unpacking.inflater.destroy()
  }
}

type Unpacking = ReturnType<typeof startUnpacking>

function startUnpacking() {
  const inflater = createInflateRaw()
  const parts: Buffer[] = []
  const state = { isOver: false }
  inflater.on('data', (part: Buffer) => {
    parts.push(part)
  })
  inflater.once('end', () => {
    state.isOver = true
  })
  const ended = once(inflater, 'end')
  ended.catch(() => {})
  const takeParts = () => parts.splice(0)
  async function finish(): Promise<Buffer[]> {
    inflater.end()
    await ended
    return takeParts()
  }
  return { inflater, state, takeParts, finish }
}

/** DEFLATE makes at most 1,032 bytes of one. So a piece unpacks to 4 MB at most, which are held and scanned at once. */
const maxPieceBytes = 4_096

/** Gives the data to the inflater, up to its end, and yields what is unpacked. Returns how many bytes it got. */
async function* feed(
  reader: ByteReader,
  { inflater, state, takeParts }: Unpacking,
  packed: number,
): AsyncGenerator<Buffer, number> {
  let given = 0
  while (!state.isOver && given < packed) {
    const bytes = await reader.next()
    if (!bytes) throw createBrokenArchiveError('The archive ends early.')
    const part = bytes.subarray(0, Math.min(packed - given, maxPieceBytes))
    if (part.length < bytes.length) reader.unread(bytes.subarray(part.length))
    given += part.length
    await write(inflater, part)
    yield* takeParts()
    const rest = given - inflater.bytesWritten
    if (rest === 0) continue
    reader.unread(part.subarray(part.length - rest))
    return given - rest
  }
  return given
}

function write(inflater: ReturnType<typeof createInflateRaw>, part: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(error)
    inflater.once('error', fail)
    inflater.write(part, () => {
      inflater.off('error', fail)
      resolve()
    })
  })
}

/** A descriptor has 12 or 20 bytes, and before them a signature or none. The next header shows which. */
async function skipDescriptor(reader: ByteReader): Promise<void> {
  const first = await reader.take(4)
  const hasSignature = first.readUInt32LE(0) === signatures.descriptor
  const rest = await reader.take(hasSignature ? 16 : 12)
  const at = hasSignature ? 12 : 8
  if (rest.readUInt16LE(at) === signatureStart) reader.unread(rest.subarray(at))
  else await reader.skip(4)
}
