import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { crc32 } from 'node:zlib'

/** The paths of the notes below a folder, in order. Hidden files and folders are left out, and no link is followed. */
export async function listNotes(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => !name.split('/').some((part) => part.startsWith('.')))
    .sort()
}

const maxFiles = 65_535
const utf8Names = 0x0800

/** Yields a ZIP archive of files, not compressed, with one file in memory at a time. */
export async function* packFiles(folder: string, names: readonly string[]): AsyncGenerator<Buffer> {
  if (names.length > maxFiles) throw new Error(`A folder may have at most ${maxFiles} notes.`)
  const directory: Buffer[] = []
  let offset = 0
  for (const name of names) {
    const data = await readFile(join(folder, name))
    const title = Buffer.from(name)
    const fields = describeFile(data, title)
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), fields, placeOf(offset), title)
    const file = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), fields, title, data])
    offset += file.length
    yield file
  }
  const listing = Buffer.concat(directory)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(names.length, 4)
  end.writeUInt16LE(names.length, 6)
  end.writeUInt32LE(listing.length, 8)
  end.writeUInt32LE(offset, 12)
  yield Buffer.concat([listing, Buffer.from('PK\u0005\u0006', 'latin1'), end])
}

/** The bytes of that archive. */
export async function measurePacked(folder: string, names: readonly string[]): Promise<number> {
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(folder, name))).size + 2 * Buffer.byteLength(name) + 76),
  )
  return sizes.reduce((sum, each) => sum + each, 22)
}

/** The fields that stand before a file and again in the directory. */
function describeFile(data: Buffer, title: Buffer): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(utf8Names, 2)
  fields.writeUInt32LE(crc32(data), 10)
  fields.writeUInt32LE(data.length, 14)
  fields.writeUInt32LE(data.length, 18)
  fields.writeUInt16LE(title.length, 22)
  return fields
}

/** Where the directory says that a file begins. */
function placeOf(offset: number): Buffer {
  const place = Buffer.alloc(14)
  place.writeUInt32LE(offset, 10)
  return place
}
