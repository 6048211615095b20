/**
 * Compares one vector of bytes with many. JavaScript takes eight times as long, because it multiplies one number at a time; so
 * the loops are a WebAssembly module, written here in its binary form. In the text form of WebAssembly they are
 *
 *   (func (export "compare") (param $from i32) (param $end i32) (param $out i32) (param $question i32) (param $length i32)
 *     loop                                    ;; for each address in $from … $end
 *       sum = 0; place = 0
 *       loop                                  ;; for each 16 numbers of the vector at that address
 *         sum += pairs of (low products + high products), which fit into 16 bits because no number is below −127
 *         place += 16; continue while place < $length
 *       store the four parts of sum, added up, at $out
 *       $from += 4; $out += 4; continue while $from < $end
 *
 *   (func (export "differ") (param $from i32) (param $end i32) (param $out i32) (param $question i32) (param $length i32)
 *     loop                                    ;; for each $length bytes in $from … $end, one behind the other
 *       sum = 0; place = 0
 *       loop                                  ;; for each 16 bytes
 *         sum += the number of bits in which they differ from those of the question, in eight parts
 *         place += 16; continue while place < $length
 *       store the parts of sum, added up, at $out
 *       $from += $length; $out += 4; continue while $from < $end
 */

const i32 = 0x7f
const v128 = 0x7b
const block = { end: 0x0b, loop: [0x03, 0x40], continueIf: (depth: number) => [0x0d, depth] }
const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
const constant = (value: number) => [0x41, value]
const add = [0x6a]
const isLess = [0x49]
const load = [0x28, 2, 0]
const store = [0x36, 2, 0]
const loadVector = [0xfd, 0x00, 0, 0]
const noVector = [0xfd, 0x0c, ...new Array<number>(16).fill(0)]
const multiplyLow = [0xfd, 0x9c, 0x01]
const multiplyHigh = [0xfd, 0x9d, 0x01]
const addShorts = [0xfd, 0x8e, 0x01]
const addPairs = [0xfd, 0x7e]
const addIntegers = [0xfd, 0xae, 0x01]
const exclusiveOr = [0xfd, 0x51]
const countBits = [0xfd, 0x62]
const addPairsOfBytes = [0xfd, 0x7d]
const part = (lane: number) => [0xfd, 0x1b, lane]

const [from, end, out, question, length, place, sum, ours, theirs] = [0, 1, 2, 3, 4, 5, 6, 7, 8] as const
const increase = (local: number, by: number) => [...get(local), ...constant(by), ...add, ...set(local)]
const vectorAt = (base: readonly number[]) => [...base, ...get(place), ...add, ...loadVector]

const locals = [3, 1, i32, 1, v128, 2, v128]

/** Goes through rows: what is done with each 16 bytes, with the sum of them, and to come to the next row. */
const loopOverRows = ({ each, total, next }: Record<'each' | 'total' | 'next', readonly number[]>) =>
  [
    locals,
    block.loop,
    [...noVector, ...set(sum), ...constant(0), ...set(place)],
    block.loop,
    each,
    increase(place, 16),
    [...get(place), ...get(length), ...isLess, ...block.continueIf(0)],
    block.end,
    total,
    get(out),
    [0, 1, 2, 3].flatMap((lane) => [...get(sum), ...part(lane), ...(lane > 0 ? add : [])]),
    store,
    [...next, ...increase(out, 4)],
    [...get(from), ...get(end), ...isLess, ...block.continueIf(0)],
    [block.end, block.end],
  ].flat()

const compareBody = loopOverRows({
  each: [
    [...vectorAt(get(question)), ...set(ours)],
    [...vectorAt([...get(from), ...load]), ...set(theirs)],
    [...get(ours), ...get(theirs), ...multiplyLow],
    [...get(ours), ...get(theirs), ...multiplyHigh, ...addShorts],
    [...addPairs, ...get(sum), ...addIntegers, ...set(sum)],
  ].flat(),
  total: [],
  next: increase(from, 4),
})

const differBody = loopOverRows({
  each: [
    [...vectorAt(get(question)), ...vectorAt(get(from)), ...exclusiveOr, ...countBits, ...addPairsOfBytes],
    [...get(sum), ...addShorts, ...set(sum)],
  ].flat(),
  total: [...get(sum), ...addPairs, ...set(sum)],
  next: [...get(from), ...get(length), ...add, ...set(from)],
})

const text = (value: string) => [value.length, ...Buffer.from(value)]
const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >> 7)]
const section = (id: number, content: readonly number[]) => [id, ...unsigned(content.length), ...content]

const beginning = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0]

const binary = Uint8Array.from([
  ...beginning,
  ...section(1, [1, 0x60, 5, i32, i32, i32, i32, i32, 0]),
  ...section(2, [1, ...text('env'), ...text('memory'), 0x02, 0x00, 1]),
  ...section(3, [2, 0, 0]),
  ...section(7, [2, ...text('compare'), 0x00, 0, ...text('differ'), 0x00, 1]),
  ...section(10, [2, ...[compareBody, differBody].flatMap((body) => [...unsigned(body.length), ...body])]),
])

export const numbersAtOnce = 16

/** The used part of WebAssembly, which the types of Node lack. */
declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number }) => GrowingMemory
  Module: new (binary: Uint8Array) => object
  Instance: new (
    module: object,
    imports: { env: { memory: GrowingMemory } },
  ) => { exports: Record<string, unknown> }
}

/** A memory in pages of 64 KB. To grow detaches the buffer that was there before. */
export type GrowingMemory = { buffer: ArrayBuffer; grow(pages: number): number }

export function createGrowingMemory(pages: { initial: number; maximum: number }): GrowingMemory {
  return new WebAssembly.Memory(pages)
}

type Loop = (from: number, end: number, out: number, question: number, length: number) => void

/**
 * Returns the loops over a memory. All positions are in bytes. `compare` takes those of a list of addresses (`from` and `end`, at least
 * one address), of the results and of the question, whose length is a multiple of 16. For `differ` the list holds the bytes themselves.
 */
export function createLoops(memory: GrowingMemory): { compare: Loop; differ: Loop } {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(binary), { env: { memory } })
  // The module above exports two functions of this type.
  return exports as { compare: Loop; differ: Loop }
}
