import { type RawBuilder, sql } from 'kysely'
import { b, computeIdf, k1 } from './bm25.ts'
import { weighRemark } from './search-plan.ts'
import type { CountedWord, StoreSize } from './statistics/word-statistics.ts'
import { computeIdfOfAbsent, type RelatedStem } from './stems/related-stems.ts'
import { padPlaces } from './tsquery.ts'
import { selectOccurrences } from './word-occurrences.queries.ts'

type Fragment = RawBuilder<unknown>
type KnownWord = { word: string; idf: number }

/** The words whose records the statement counts, each with a column `count_N` and, once all are found, `idf_N`. */
type ScoredWords = {
  own: readonly (CountedWord | undefined)[]
  /** What stands for an own word only if no record contains that one. */
  corrections: readonly (RelatedStem | undefined)[]
  related: readonly (RelatedStem | undefined)[]
}

/** `remarked` are the words that only stand in remarks beside the question. */
type ScoredQuestion = {
  words: readonly CountedWord[]
  related: readonly RelatedStem[]
  remarked: ReadonlySet<string>
}

/**
 * The columns from which a statement computes the BM25 score of each text `contents as c`. Words of known frequency score at once, in
 * `knownScore`. The frequency of the others is known when all texts are found: `counts` are read with each text, `idfs` over
 * all of them, and `countedScore` is computed from both.
 */
export function selectScoreColumns({ words, related, remarked }: ScoredQuestion, store: StoreSize) {
  const knownWords = words.flatMap(({ word, count }): KnownWord[] =>
    count === null ? [] : [{ word, idf: weighRemark(word, remarked) * computeIdf(count, store) }],
  )
  const own = padPlaces(words.filter(({ count }) => count === null))
  const counted = {
    own,
    corrections: padPlaces(related.filter(({ isCorrection }) => isCorrection)),
    related: padPlaces(related.filter(({ isCorrection }) => !isCorrection)),
  }
  const countedWords = [...counted.own, ...counted.corrections, ...counted.related]
  const length = sql`${k1 * (1 - b)}::float8 + ${(k1 * b) / store.averageLength}::float8 * c.words`
  const counts = countedWords.map(
    (each, at) => sql`, ${selectOccurrences(each?.word, (count) => count)} as ${nameCount(at)}`,
  )
  const idfs = countedWords.map((each, at) => {
    const weight = each ? weighRemark(each.word, remarked) : 0
    return sql`, ${weight}::float8 * ${computeIdfOfCounted(at, store)} as ${nameIdf(at)}`
  })
  return {
    countedWords,
    knownWords,
    length,
    knownScore: addUp(selectKnownParts(knownWords, length)),
    counts: sql.join(counts, sql``),
    idfs: sql.join(idfs, sql``),
    countedScore: addUp(selectCountedParts(counted, knownWords, store)),
    /** The `idf_N` as one text, separated by spaces, in the order of `countedWords`. */
    idfList: sql`array_to_string(array[${sql.join(countedWords.map((_, at) => nameIdf(at)))}]::float8[], ' ')`,
  }
}

function selectKnownParts(knownWords: readonly KnownWord[], length: Fragment): Fragment[] {
  return padPlaces(knownWords).map((each) =>
    selectOccurrences(each?.word, (count) => scoreWord(sql`${each?.idf ?? 0}::float8`, count, length)),
  )
}

function selectCountedParts(
  { own, corrections, related }: ScoredWords,
  knownWords: readonly KnownWord[],
  store: StoreSize,
): Fragment[] {
  const idfsByWord = [
    ...own.map((each, at) => ({ word: each?.word, idf: nameIdf(at) })),
    ...knownWords.map(({ word, idf }) => ({ word, idf: sql`${idf}::float8` })),
  ]
  const leastIdfs = [
    ...corrections.map(() => sql`${computeIdfOfAbsent(store)}::float8`),
    ...related.map(() => undefined),
  ]
  const score = (idf: Fragment, at: number) => scoreWord(idf, nameCount(at), sql`length`)
  return [
    ...own.map((_, at) => score(nameIdf(at), at)),
    ...[...corrections, ...related].map((each, index) => {
      const at = own.length + index
      return score(limitIdf(nameIdf(at), each, { idfsByWord, least: leastIdfs[index] }), at)
    }),
  ]
}

/** The amount that a word adds to the score of a text; null where it is absent. */
function scoreWord(idf: Fragment, count: Fragment, length: Fragment): Fragment {
  return sql`${idf} * ${sql.lit(k1 + 1)}::float8 / (1 + (${length}) / ${count})`
}

function addUp(parts: readonly Fragment[]): Fragment {
  return sql.join([sql`0::float8`, ...parts.map((part) => sql`coalesce(${part}, 0)`)], sql` + `)
}

type IdfOfWord = { word: string | undefined; idf: Fragment }

/**
 * The idf of a related word, at most that of the word for which it stands. That one is chosen by its place in an array, so that the
 * statement is the same for other words. It counts nothing if that word is less rare than `least`.
 */
function limitIdf(
  idf: Fragment,
  related: RelatedStem | undefined,
  { idfsByWord, least }: { idfsByWord: readonly IdfOfWord[]; least: Fragment | undefined },
): Fragment {
  const place = idfsByWord.findIndex(({ word }) => word === related?.of) + 1
  const idfs = sql.join(idfsByWord.map((each) => each.idf))
  const idfOfWord = sql`(array[${idfs}])[${place}::int4]`
  const limited = sql`${related?.weight ?? 0}::float8 * least(${idf}, ${idfOfWord})`
  return least ? sql`case when ${idfOfWord} >= ${least} then ${limited} else 0 end` : limited
}

/** The idf of a word whose records the statement counts, as `estimateIdf` computes it. */
function computeIdfOfCounted(at: number, { rows }: StoreSize): Fragment {
  const having = sql`least(count(${nameCount(at)}), ${rows}::float8)`
  return sql`ln(1 + greatest(0, ${rows}::float8 - ${having} + 0.5) / (${having} + 0.5))`
}

const nameCount = (at: number) => sql.ref(`count_${at}`)
const nameIdf = (at: number) => sql.ref(`idf_${at}`)
