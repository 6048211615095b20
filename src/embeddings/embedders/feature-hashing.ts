import { type Embedding, normalise } from '../../domain/vectors/similarity.ts'

/**
 * The built-in embedder hashes words and parts of words into buckets. It knows spelling, not meaning: texts are
 * similar when they share words or parts of words. It needs no model and no network, and gives the same vector on
 * every machine.
 */

/** Marks both ends of a word, so that its beginning differs from the same letters inside another word. */
const edge = '\u0002'
const shortestGram = 3
const longestGram = 5
/** A word counts as much as about eight of its parts, so that an equal word outweighs equal letters. */
const gramWeight = 0.35
const wordSeed = 0x3b9f1c27
const gramSeed = 0x5ac76d83

/**
 * Returns a vector of length 1. A text without a letter or digit gives the zero vector, which is similar to nothing:
 * check it with `hasDirection` before storing or searching.
 */
export function hashEmbedding(text: string, dimensions: number): Embedding {
  const words = new Map<number, number>()
  const grams = new Map<number, number>()
  for (const word of splitWords(text)) {
    const bounded = `${edge}${word}${edge}`
    count(words, hashWord(bounded))
    countGrams(grams, bounded)
  }
  const vector = new Float32Array(dimensions)
  spread(vector, words, 1)
  spread(vector, grams, gramWeight)
  return normalise(vector)
}

/** Lower case without a locale: with a Turkish locale `FILE` and `file` would be different words. */
function splitWords(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  )
}

/**
 * Counts by UTF-16 unit. A gram may cut a rare character in two, which is harmless because it always does.
 */
function countGrams(counts: Map<number, number>, word: string): void {
  for (let start = 0; start + shortestGram <= word.length; start++) {
    const end = Math.min(word.length, start + longestGram)
    let state = gramSeed
    for (let index = start; index < end; index++) {
      state = addUnit(state, word.charCodeAt(index))
      if (index - start + 1 >= shortestGram) count(counts, mixBits(state))
    }
  }
}

function hashWord(word: string): number {
  let state = wordSeed
  for (let index = 0; index < word.length; index++) state = addUnit(state, word.charCodeAt(index))
  return mixBits(state)
}

function addUnit(state: number, unit: number): number {
  return Math.imul(state ^ unit, 0x01000193)
}

/**
 * Multiplication only moves bits upwards: without this step words that differ at the end would share their low bits.
 */
function mixBits(state: number): number {
  let mixed = Math.imul(state ^ (state >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return mixed ^ (mixed >>> 16)
}

function count(counts: Map<number, number>, feature: number): void {
  counts.set(feature, (counts.get(feature) ?? 0) + 1)
}

/**
 * Signs let two features in one bucket cancel as often as they add up. The square root dampens repetition; unlike a
 * logarithm every machine rounds it the same way.
 */
function spread(vector: Embedding, counts: ReadonlyMap<number, number>, weight: number): void {
  for (const [feature, occurrences] of counts) {
    const bucket = (feature >>> 1) % vector.length
    const share = weight * Math.sqrt(occurrences)
    vector[bucket] = (vector[bucket] ?? 0) + ((feature & 1) === 1 ? share : -share)
  }
}
