import type { Conditions } from '../../db/fragments/conditions.ts'
import type { CheckedStates } from '../../db/memory/checked-records.ts'
import type { Embedding } from '../../domain/vectors/similarity.ts'
import { dropFunctionWords, isOtherLanguage } from '../../domain/words/other-languages.ts'
import { listPlainWords } from '../../domain/words/word-extraction.ts'
import {
  type createQueryEmbedder,
  type createVectorSearch,
  findCorrections,
  isHashed,
} from '../../embeddings/index.ts'
import type { Match } from './match.ts'

export type VectorChannel = {
  queryEmbedder: ReturnType<typeof createQueryEmbedder>
  vectors: ReturnType<typeof createVectorSearch>
}

type Model = NonNullable<Awaited<ReturnType<VectorChannel['queryEmbedder']['readServingModel']>>>
export type QueryVector = { model: Model; vector: Embedding }

type VectorQuestion = {
  /** Empty when there is nothing to embed. */
  text: string
  /** Replaces the vector of the text. */
  queryVector?: QueryVector | undefined
  /** The matches of the words of the text. */
  byText: Promise<readonly Match[]> | undefined
  conditions: Conditions
  scopes: readonly string[] | undefined
  limit: number
  states?: CheckedStates | undefined
  /** The records that the prefilter has listed; the search finds no others. */
  onlyIds?: readonly string[] | undefined
}

/**
 * A hashed vector knows only spelling. Beside the words of a text it made the order worse (docs/quality-experiments.md), so it is
 * used only where words find fewer records than this.
 */
const enoughMatches = 5

/** By the built-in table of word meanings, a quarter of all unrelated texts are less similar than this. */
const minSimilarity = 0.2

/**
 * How many vectors are compared exactly for each one that is requested. With 200 a search among 100,000 messages finds 0.968 of
 * the ten nearest, with 600 it finds 0.977 (120 natural questions).
 */
const comparedForEach = 4

/** Returns the search for records whose vectors are near that of the question; it finds nothing where there is none. */
export function createVectorMatches({ queryEmbedder, vectors }: VectorChannel) {
  async function embedQuestion({ text, byText }: VectorQuestion): Promise<QueryVector | undefined> {
    const model = text === '' ? undefined : await queryEmbedder.readServingModel()
    if (!model) return undefined
    const embedded = await queryEmbedder.embedText(model.provider === 'static' ? prepareText(text) : text)
    if (embedded.outcome !== 'embedded') return undefined
    if (knowsOnlySpelling(embedded) && ((await byText)?.length ?? 0) >= enoughMatches) return undefined
    return embedded
  }

  async function find(question: VectorQuestion): Promise<Match[] | undefined> {
    const queryVector = question.queryVector ?? (await embedQuestion(question))
    if (!queryVector) return undefined
    const { conditions, scopes, limit, states, onlyIds } = question
    const candidates = comparedForEach * limit
    const search = { ...queryVector, conditions, scopes, limit, states, candidates, onlyIds }
    const found = await vectors.findQuickly(search)
    const least = queryVector.model.provider === 'static' ? minSimilarity : -1
    return found
      .filter(({ similarity }) => similarity >= least)
      .map(({ id, similarity }) => ({ id, score: similarity }))
  }

  return find
}

/** The built-in embedder knows no misspelled words, and which words say little in English only. */
function prepareText(text: string): string {
  const words = listPlainWords(text)
  if (isOtherLanguage(words)) return dropFunctionWords(words).join(' ')
  const corrections = words.flatMap((word) => findCorrections(word.toLowerCase()).slice(0, 1))
  return [text, ...corrections].join(' ')
}

function knowsOnlySpelling({ model: { provider }, vector }: QueryVector): boolean {
  return provider === 'hash' || (provider === 'static' && isHashed(vector))
}
