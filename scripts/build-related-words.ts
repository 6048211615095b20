import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readTokenTable } from '../src/embeddings/static/static-embedder.service.ts'
import { tableDimensions } from '../src/embeddings/static/token-table.ts'

/**
 * Writes the words of related meaning (src/embeddings/static/related-words.txt) from the token table beside it: for each word of the
 * vocabulary those with the nearest vectors, and how near they are, in percent. It takes some minutes.
 *
 *   node scripts/build-related-words.ts
 */

const minSimilarity = 0.45
/** More than a search takes, because some of them have the same stem. */
const most = 12

/** A time or a number is never meant by another one, however near their vectors are. */
const exact = new Set(
  `january february march april may june july august september october november december monday tuesday wednesday thursday friday
  saturday sunday one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
  eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion first second third
  fourth fifth sixth seventh eighth ninth tenth`.split(/\s+/),
)

const { vocabulary, scales, values } = readTokenTable()
const words = Array.from(vocabulary.beginning)
  .filter(([word, id]) => /^[a-z]{3,}$/.test(word) && !exact.has(word) && scales[id] !== 0)
  .map(([word, id]) => {
    const row = values.subarray(id * tableDimensions, (id + 1) * tableDimensions)
    return { word, row, length: Math.sqrt(dot(row, row)) }
  })

function dot(one: Int8Array, other: Int8Array): number {
  let sum = 0
  for (let at = 0; at < tableDimensions; at++) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}

/** Plurals and other forms that begin with the whole word have its stem already. */
function isForm(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return long.startsWith(short) && long.length - short.length <= 3
}

const lines = words.flatMap(({ word, row, length }) => {
  const near = words
    .map((other) => ({ word: other.word, similarity: dot(row, other.row) / (length * other.length) }))
    .filter((other) => other.similarity >= minSimilarity && !isForm(word, other.word))
    .sort((one, other) => other.similarity - one.similarity || (one.word < other.word ? -1 : 1))
    .slice(0, most)
    .map((other) => `${other.word} ${Math.round(100 * other.similarity)}`)
  return near.length > 0 ? [[word, ...near].join(' ')] : []
})
writeFileSync(
  resolve(import.meta.dirname, '../src/embeddings/static/related-words.txt'),
  `${lines.join('\n')}\n`,
)
