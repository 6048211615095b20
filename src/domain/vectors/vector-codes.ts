import type { Embedding } from './similarity.ts'

/**
 * Stores vectors in fewer bits: each coordinate becomes the nearest of a few even steps between the lowest and the
 * highest coordinate.
 */

export type Precision = 32 | 8 | 4 | 2

/** Two little-endian float32: the lowest and the highest coordinate. A vector of 32 bits needs no header. */
const headerBytes = 8

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

export function countCodeBytes(dimensions: number, bits: Precision): number {
  return bits === 32 ? dimensions * 4 : headerBytes + Math.ceil((dimensions * bits) / 8)
}

/** Encodes a vector. Its coordinates must be finite. */
export function encode(vector: Embedding, bits: Precision): Buffer {
  const code = Buffer.alloc(countCodeBytes(vector.length, bits))
  if (bits === 32) {
    const view = createView(code)
    for (const [index, value] of vector.entries()) view.setFloat32(index * 4, value, true)
    return code
  }
  writeSteps(code, vector, bits)
  return code
}

export function decode(code: Uint8Array, dimensions: number, bits: Precision): Embedding {
  if (code.length !== countCodeBytes(dimensions, bits)) {
    throw new RangeError(`${code.length} bytes are no ${dimensions} dimensions of ${bits} bits.`)
  }
  const view = createView(code)
  const vector = new Float32Array(dimensions)
  if (bits === 32) {
    if (isLittleEndian) new Uint8Array(vector.buffer).set(code)
    else for (let index = 0; index < dimensions; index++) vector[index] = view.getFloat32(index * 4, true)
    return vector
  }
  const lowest = view.getFloat32(0, true)
  const step = computeQuantisationStep(code, bits)
  const mask = 2 ** bits - 1
  for (let index = 0; index < dimensions; index++) {
    const at = index * bits
    vector[index] = lowest + (((code[headerBytes + (at >> 3)] ?? 0) >> (at & 7)) & mask) * step
  }
  return vector
}

/** The difference between two neighbouring values of a code; 0 when nothing was rounded. */
export function computeQuantisationStep(code: Uint8Array, bits: Precision): number {
  if (bits === 32) return 0
  const view = createView(code)
  return (view.getFloat32(4, true) - view.getFloat32(0, true)) / (2 ** bits - 1)
}

/**
 * Rounds to the nearest step. Truncation would shift every coordinate down and cost a third of the similarity.
 */
function writeSteps(code: Buffer, vector: Embedding, bits: Exclude<Precision, 32>): void {
  let lowest = vector[0] ?? 0
  let highest = lowest
  for (const value of vector) {
    if (value < lowest) lowest = value
    if (value > highest) highest = value
  }
  code.writeFloatLE(lowest, 0)
  code.writeFloatLE(highest, 4)
  const step = computeQuantisationStep(code, bits)
  if (step === 0) return
  for (let index = 0; index < vector.length; index++) {
    const at = index * bits
    const byte = headerBytes + (at >> 3)
    const level = Math.round(((vector[index] ?? 0) - lowest) / step)
    code[byte] = (code[byte] ?? 0) | (level << (at & 7))
  }
}

function createView(code: Uint8Array): DataView {
  return new DataView(code.buffer, code.byteOffset, code.byteLength)
}
