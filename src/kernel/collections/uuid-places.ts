import { formatUuid } from '../ids.ts'
import { createGrowingArray } from './growing-array.ts'

const wordsOfUuid = 4
const firstRoom = 64
/** A slot holds a place and one, so that 0 says that it was never used. */
const removed = 0xffffffff
const digitZero = 48
const hyphen = 45
const afterDigits = 58
const letterA = 97

/**
 * Gives UUIDs places, in the order in which they come. A Map with a million texts takes 150 MB more, and the garbage collector
 * looks at each of them.
 */
export function createUuidPlaces() {
  const words = createGrowingArray(Uint32Array)
  const asked = new Uint32Array(wordsOfUuid)
  const written = Buffer.alloc(4 * wordsOfUuid)
  let slots = new Uint32Array(firstRoom)
  let used = 0

  /** Gives a UUID that has no place the next one. */
  function push(id: string): number {
    if (4 * used >= 3 * slots.length) growSlots()
    readUuid(id, asked)
    const place = words.length / wordsOfUuid
    for (const word of asked) words.push(word)
    slots[findFree(place)] = place + 1
    used += 1
    return place
  }

  function growSlots(): void {
    const kept = slots.filter((slot) => slot !== 0 && slot !== removed)
    slots = new Uint32Array(4 * kept.length > slots.length ? 2 * slots.length : slots.length)
    for (const slot of kept) slots[findFree(slot - 1)] = slot
    used = kept.length
  }

  function findFree(place: number): number {
    let at = startAt(words.values, place * wordsOfUuid)
    while (slots[at] !== 0) at = next(at)
    return at
  }

  /** Undefined for a UUID that has no place. */
  function findPlace(id: string): number | undefined {
    const slot = slots[findSlot(id)] as number
    return slot === 0 ? undefined : slot - 1
  }

  function remove(id: string): void {
    const at = findSlot(id)
    if (slots[at] !== 0) slots[at] = removed
  }

  /** The slot of a UUID, or an empty one. */
  function findSlot(id: string): number {
    readUuid(id, asked)
    let at = startAt(asked, 0)
    while (slots[at] !== 0 && !isAsked(slots[at] as number)) at = next(at)
    return at
  }

  function isAsked(slot: number): boolean {
    if (slot === removed) return false
    const from = (slot - 1) * wordsOfUuid
    const { values } = words
    for (let word = 0; word < wordsOfUuid; word++) if (values[from + word] !== asked[word]) return false
    return true
  }

  function startAt(values: Uint32Array, from: number): number {
    let hash = 0
    for (let word = 0; word < wordsOfUuid; word++) {
      hash = Math.imul(hash ^ (values[from + word] as number), 0x9e3779b1)
      hash ^= hash >>> 15
    }
    return hash & (slots.length - 1)
  }

  const next = (at: number) => (at + 1) & (slots.length - 1)

  function getId(place: number): string {
    const from = place * wordsOfUuid
    for (let word = 0; word < wordsOfUuid; word++)
      written.writeUInt32BE(words.values[from + word] as number, 4 * word)
    return formatUuid(written)
  }

  return {
    push,
    findPlace,
    remove,
    getId,
    /** How many places were given. */
    get length() {
      return words.length / wordsOfUuid
    },
    get bytes() {
      return words.bytes + slots.byteLength
    },
  }
}

function readUuid(id: string, into: Uint32Array): void {
  let word = 0
  let digits = 0
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at)
    if (code === hyphen) continue
    word = (word << 4) | (code < afterDigits ? code - digitZero : (code | 32) - letterA + 10)
    digits += 1
    if (digits % 8 === 0) into[digits / 8 - 1] = word
  }
}
