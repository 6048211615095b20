import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Embedder } from '../embedders/embedder.ts'
import { computeStaticEmbedding, staticDimensions } from './static-embedding.ts'
import { decodeTable, type TokenTable } from './token-table.ts'

/** Increase the number with every change of the vectors: of the table, the tokenizer, or the weights. */
const staticModel = 'static-v1'

/** In characters; reading them takes some milliseconds. The rest of a text is found by its words only. */
const longest = 8_000

let table: TokenTable | undefined

/** Reads 8 MB, once in a process and only when the first text is embedded. */
export function readTokenTable(): TokenTable {
  table ??= decodeTable(
    readFileSync(resolve(import.meta.dirname, 'vocabulary.txt'), 'utf8'),
    readFileSync(resolve(import.meta.dirname, 'token-table.bin')),
  )
  return table
}

/** The built-in embedder of word meanings. */
export function createStaticEmbedder(): Embedder & { dimensions: number } {
  return {
    provider: 'static',
    model: staticModel,
    dimensions: staticDimensions,
    embed: async (texts) =>
      texts.map((text) => computeStaticEmbedding(text.slice(0, longest), readTokenTable())),
  }
}
