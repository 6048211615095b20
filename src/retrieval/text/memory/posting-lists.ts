/**
 * For each word the places of the texts that contain it, and how often. Most words have few texts, so the lists are chains of
 * parts in shared segments: an array for each word would take several times as much.
 */

const segmentCells = 65_536
/** The first cell of a part is the address of the next one. Parts of a list have room for 2, 4, 8 … 4,096 entries. */
const largestPart = 4_096
const firstPart = 2
const roomBeforeLargest = 2 * largestPart - firstPart

/** An entry is a place and a number up to 255. */
const maxCount = 255
export const maxPlaces = 2 ** 24

/** The entries of a part of a list: `entries[from]` … `entries[to - 1]`. False ends the reading. */
type Visit = (entries: Uint32Array, from: number, to: number) => unknown

export function createPostingLists() {
  const segments: Uint32Array[] = []
  let used = segmentCells
  const firsts: number[] = []
  const lasts: number[] = []
  const lengths: number[] = []

  /** Address 0 is never given out: it is the end of a chain. */
  function takePart(room: number): number {
    if (used + room + 1 > segmentCells) {
      segments.push(new Uint32Array(segmentCells))
      used = segments.length === 1 ? 1 : 0
    }
    const address = (segments.length - 1) * segmentCells + used
    used += room + 1
    return address
  }

  function write(address: number, value: number): void {
    const segment = segments[Math.floor(address / segmentCells)]
    if (segment) segment[address % segmentCells] = value
  }

  /** Returns the number of a new list. */
  function open(): number {
    firsts.push(0)
    lasts.push(0)
    return lengths.push(0) - 1
  }

  /** Places of a list are added in ascending order. */
  function add(list: number, place: number, count: number): void {
    const length = lengths[list] ?? 0
    const { start, room } = getPart(length)
    if (length === start) {
      const part = takePart(room)
      if (length === 0) firsts[list] = part
      else write(lasts[list] ?? 0, part)
      lasts[list] = part
    }
    write((lasts[list] ?? 0) + 1 + length - start, place * (maxCount + 1) + Math.min(count, maxCount))
    lengths[list] = length + 1
  }

  /** Visits the entries of a list, in parts. */
  function read(list: number, visit: Visit): void {
    const length = lengths[list] ?? 0
    for (let read = 0, address = firsts[list] ?? 0; read < length; ) {
      const { room } = getPart(read)
      const segment = segments[Math.floor(address / segmentCells)]
      if (!segment) return
      const at = address % segmentCells
      const filled = Math.min(room, length - read)
      if (visit(segment, at + 1, at + 1 + filled) === false) return
      read += filled
      address = segment[at] as number
    }
  }

  /** Removes the entries of some places. A list keeps its parts unless it becomes empty. */
  function drop(list: number, isDropped: (place: number) => boolean): void {
    const kept: number[] = []
    read(list, (entries, from, to) => {
      for (const entry of entries.subarray(from, to)) if (!isDropped(getPlace(entry))) kept.push(entry)
    })
    if (kept.length === lengths[list]) return
    for (let at = 0, address = firsts[list] ?? 0; at < kept.length; ) {
      const some = kept.slice(at, at + getPart(at).room)
      const segment = segments[Math.floor(address / segmentCells)]
      if (!segment) return
      segment.set(some, (address % segmentCells) + 1)
      lasts[list] = address
      address = segment[address % segmentCells] as number
      at += some.length
    }
    lengths[list] = kept.length
  }

  /** Calls `visit` for those of some places, in ascending order, whose texts contain the word, with how often they do. */
  function countAmong(
    list: number,
    places: readonly number[],
    visit: (index: number, count: number) => void,
  ): void {
    let index = 0
    read(list, (entries, from, to) => {
      const last = getPlace(entries[to - 1] as number)
      let at = from
      for (; index < places.length && (places[index] as number) <= last; index++) {
        at = findPosition(entries, at, to, places[index] as number)
        const entry = entries[at] as number
        if (getPlace(entry) === places[index]) visit(index, getCount(entry))
      }
    })
  }

  return {
    open,
    add,
    read,
    drop,
    countAmong,
    countEntries: (list: number) => lengths[list] ?? 0,
    get bytes() {
      return segments.length * segmentCells * Uint32Array.BYTES_PER_ELEMENT + lengths.length * 24
    },
  }
}

/** Where the part begins that contains an entry, as a number of entries, and how many it has room for. */
function getPart(entry: number): { start: number; room: number } {
  if (entry >= roomBeforeLargest)
    return { start: entry - ((entry - roomBeforeLargest) % largestPart), room: largestPart }
  const room = 1 << (31 - Math.clz32(entry + firstPart))
  return { start: room - firstPart, room }
}

/** Where the first entry of a place, or of a later one, is between `from` and `to`. */
function findPosition(entries: Uint32Array, from: number, to: number, place: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (getPlace(entries[middle] as number) < place) low = middle + 1
    else high = middle
  }
  return low
}

export const getPlace = (entry: number): number => entry >>> 8
export const getCount = (entry: number): number => entry & maxCount
