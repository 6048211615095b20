import { crc32, deflateRawSync } from 'node:zlib'

type Entry = { name: string; data: string | Uint8Array; stored?: boolean; descriptor?: boolean }

/** Builds a ZIP archive. With `descriptor` the sizes follow the data, as a program writes that streams. */
export function buildZip(entries: readonly Entry[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, data, stored = false, descriptor = false } of entries) {
    const bytes = Buffer.from(data)
    const packed = stored ? bytes : deflateRawSync(bytes)
    const title = Buffer.from(name)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(descriptor ? 0x08 : 0, 2)
    fields.writeUInt16LE(stored ? 0 : 8, 4)
    const sizes = Buffer.alloc(12)
    sizes.writeUInt32LE(crc32(bytes), 0)
    sizes.writeUInt32LE(packed.length, 4)
    sizes.writeUInt32LE(bytes.length, 8)
    if (!descriptor) sizes.copy(fields, 10)
    fields.writeUInt16LE(title.length, 22)
    const tail = descriptor ? [Buffer.from('PK\u0007\u0008', 'latin1'), sizes] : []
    const file = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), fields, title, packed, ...tail])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    const known = Buffer.from(fields)
    sizes.copy(known, 10)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), known, place, title)
    files.push(file)
    offset += file.length
  }
  const listing = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(listing.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, listing, Buffer.from('PK\u0005\u0006', 'latin1'), end])
}
