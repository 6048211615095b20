import { once } from 'node:events'
import { createInflateRaw } from 'node:zlib'
import { ByteReader, brokenArchive } from './byte-reader.ts'

/**
 * One file of a ZIP archive. The name is only a text: nothing is written under it. `bytes` is undefined when the file is
 * too large.
 */
export type Member = { name: string; bytes: Buffer | undefined }

const signatures = { member: 0x04034b50, descriptor: 0x08074b50 }
const methods = { stored: 0, deflated: 8 }
const headerBytes = 26
/** The sizes come after the data. */
const hasDescriptor = 0x08
const isEncrypted = 0x01
/** Enough for the export of a large account. More would be an archive made to keep the service busy. */
const maxTotalBytes = 4 * 1_024 ** 3

type Header = { name: string; method: number; flags: number; packed: number }

/**
 * Reads a ZIP archive while it arrives, one file in memory at a time. Files that are not included are passed over. The
 * directory at the end of the archive is not read, so it cannot contradict the files.
 */
export async function* readZip(
  chunks: AsyncIterable<Buffer>,
  isIncluded: (name: string) => boolean,
  maxBytes: number,
): AsyncGenerator<Member> {
  const reader = new ByteReader(chunks)
  let total = 0
  for (let header = await readHeader(reader); header; header = await readHeader(reader)) {
    const isRead = isIncluded(header.name)
    const { bytes, size } = await readData(reader, header, isRead ? maxBytes : 0)
    total += size
    if (total > maxTotalBytes)
      throw brokenArchive(`The files of the archive have more than ${maxTotalBytes} bytes.`)
    if (isRead) yield { name: header.name, bytes }
  }
}

/** Undefined where the files end and the directory begins. */
async function readHeader(reader: ByteReader): Promise<Header | undefined> {
  const signature = (await reader.take(4)).readUInt32LE(0)
  if (signature !== signatures.member) {
    if ((signature & 0xffff) !== 0x4b50) throw brokenArchive('The archive is broken.')
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
  throw brokenArchive('The archive is broken.')
}

type Data = { bytes: Buffer | undefined; size: number }

async function readData(reader: ByteReader, header: Header, most: number): Promise<Data> {
  const { flags, method, packed } = header
  const isOpen = (flags & isEncrypted) === 0
  const isSized = (flags & hasDescriptor) === 0
  if (isOpen && method === methods.deflated && (most > 0 || !isSized)) {
    const data = await inflate(reader, isSized ? packed : Number.POSITIVE_INFINITY, most)
    if (!isSized) await skipDescriptor(reader)
    return data
  }
  if (!isSized) throw brokenArchive(`The file ${header.name.slice(0, 200)} does not say where it ends.`)
  if (isOpen && method === methods.stored && packed <= most)
    return { bytes: await reader.take(packed), size: packed }
  await reader.skip(packed)
  return { bytes: undefined, size: 0 }
}

/** Unpacks data up to its end and keeps at most `most` bytes. What follows the data stays unread. */
async function inflate(reader: ByteReader, packed: number, most: number): Promise<Data> {
  const unpacking = startUnpacking(most)
  try {
    const given = await feed(reader, unpacking, packed)
    if (packed !== Number.POSITIVE_INFINITY) await reader.skip(packed - given)
    return await unpacking.finish()
  } catch (error) {
    throw error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
      ? brokenArchive('A file of the archive is broken.')
      : error
  } finally {
    unpacking.inflater.destroy()
  }
}

type Unpacking = ReturnType<typeof startUnpacking>

function startUnpacking(most: number) {
  const inflater = createInflateRaw()
  const parts: Buffer[] = []
  const state = { size: 0, isOver: false }
  inflater.on('data', (part: Buffer) => {
    state.size += part.length
    if (state.size <= most) parts.push(part)
    else parts.length = 0
  })
  inflater.once('end', () => {
    state.isOver = true
  })
  const ended = once(inflater, 'end')
  ended.catch(() => {})
  async function finish(): Promise<Data> {
    inflater.end()
    await ended
    return { bytes: state.size > most ? undefined : Buffer.concat(parts), size: state.size }
  }
  return { inflater, state, finish }
}

/** Gives the data to the inflater, up to its end. Returns how many bytes it got. */
async function feed(reader: ByteReader, { inflater, state }: Unpacking, packed: number): Promise<number> {
  let given = 0
  while (!state.isOver && given < packed) {
    const bytes = await reader.next()
    if (!bytes) throw brokenArchive('The archive ends early.')
    const part = bytes.subarray(0, packed - given)
    if (part.length < bytes.length) reader.unread(bytes.subarray(part.length))
    given += part.length
    await write(inflater, part)
    if (state.size > maxTotalBytes) throw brokenArchive('A file of the archive is too large.')
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
  if ((rest.readUInt16LE(at) & 0xffff) === 0x4b50) reader.unread(rest.subarray(at))
  else await reader.skip(4)
}
