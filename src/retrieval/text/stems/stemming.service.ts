import type { Database } from '../../../db/connection.ts'
import { isCommonWord } from '../../../domain/words/common-words.ts'
import { dropFunctionWords, isOtherLanguage } from '../../../domain/words/other-languages.ts'
import { longestQuery, type TextQuery } from '../../../domain/words/text-query.ts'
import { extractWords, isIdentifier } from '../../../domain/words/word-extraction.ts'
import { findCorrections, findRelatedWords, mayBeMisspelled } from '../../../embeddings/index.ts'
import { countOccurrences } from '../../../kernel/collections/occurrences.ts'
import type { Occurrences } from '../search-plan.ts'
import { correctionWeight, maxRelatedOfSentence, type RelatedStem, weighRelated } from './related-stems.ts'
import { listSpellings } from './spellings.ts'
import { findStems } from './stemming.queries.ts'

/** The words by which a question is searched, each once, in their order. */
export type Stems = {
  words: string[]
  /** The stems inside phrases. */
  phrased: string[]
  occurrences: Occurrences
  /** Stems that stand for a word: other ways to write it, and in English words of a near meaning and corrections. */
  related: readonly RelatedStem[]
  /** Stems of words that the vocabulary does not have: they may be misspelled. */
  unknown: readonly string[]
  /** Stems of words that may be of another language: their other forms are searched too. */
  inflected: readonly string[]
  /** Stems that only stand in remarks beside the question. */
  remarked: ReadonlySet<string>
}

const maxCached = 40_000
const longestCached = 64

const maxRelatedOfWord = 10
/** How many common words of English make a question English. One may be a word of another language too, such as `in`. */
const fewestEnglish = 2

/** The text language of those who want words to be found only as they are written. */
const unstemmed = 'simple'

/** Finds the stems of words and caches them, so that hardly any search repeats the round trip. */
export function createStemmer({ textLanguage }: { textLanguage: string }) {
  const cached = new Map<string, readonly string[]>()
  const known = new WeakMap<TextQuery, Promise<Stems>>()

  /** The stems of a query. All searches of a question share them. */
  function findQueryStems(db: Database, query: TextQuery): Promise<Stems> {
    const found = known.get(query) ?? stemQuery(db, query)
    known.set(query, found)
    return found
  }

  async function stemQuery(db: Database, query: TextQuery): Promise<Stems> {
    const asked = splitWords(query.alternatives)
    const isLong = asked.length > longestQuery
    const isOther = isOtherLanguage(asked)
    const words = dropFunctionWords(asked)
    const remarks = dropFunctionWords(splitWords(query.remarks ?? ''))
    const isStemmed = !isLong && textLanguage !== unstemmed
    const near = isStemmed ? listNear(words, textLanguage === 'english' && !isOther) : []
    const phrased = splitWords(query.phrases.join(' '))
    const others = near.flatMap((each) => each.others.map(({ word }) => word))
    const listStems = await learn(db, new Set([...words, ...remarks, ...phrased, ...others]))
    const stemWords = (list: readonly string[]) => [...new Set(list.flatMap(listStems))]
    const own = stemWords(words)
    const all = new Set([...own, ...stemWords(remarks)])
    const listUnknown = (some: readonly string[]) => some.filter(mayBeCorrected).flatMap(listStems)
    return {
      words: [...all],
      phrased: stemWords(phrased),
      occurrences: countOccurrences([...words, ...remarks].flatMap(listStems)),
      remarked: new Set([...all].slice(own.length)),
      unknown: isLong ? [] : listUnknown(words),
      inflected: isStemmed ? listUnknown(isOther ? words : dropEnglishNames(words)) : [],
      related: listRelated(near, all, listStems),
    }
  }

  /** Returns what lists the stems of one of the words. */
  async function learn(
    db: Database,
    words: ReadonlySet<string>,
  ): Promise<(word: string) => readonly string[]> {
    const stems = new Map(Array.from(words, (word) => [word, cached.get(word)]))
    const unknown = [...words].filter((word) => !stems.get(word))
    const found = unknown.length === 0 ? [] : await findStems(db, unknown, textLanguage)
    // Clears everything, which is rare: tracking the last use would cost every search.
    if (cached.size > maxCached) cached.clear()
    for (const each of found) {
      stems.set(each.word, each.stems)
      if (each.word.length <= longestCached) cached.set(each.word, each.stems)
    }
    return (word) => stems.get(word) ?? []
  }

  /** The stems of the words of some texts, such as names. */
  async function findTextStems(db: Database, texts: readonly string[]): Promise<Set<string>> {
    const words = new Set(texts.flatMap((text) => splitWords(extractWords(text).text)))
    const listStems = await learn(db, words)
    return new Set([...words].flatMap(listStems))
  }

  return { findQueryStems, findTextStems }
}

/** Inside of a sentence a capital begins a name, which nothing else means. */
function mayHaveRelated(word: string, index: number): boolean {
  return index === 0 || word === word.toLowerCase()
}

/** Names in an English question have no other forms. In other languages they have, and German writes every noun with a capital. */
function dropEnglishNames(words: readonly string[]): readonly string[] {
  const english = words.filter((word) => isCommonWord(word.toLowerCase())).length
  return english >= fewestEnglish ? words.filter(mayHaveRelated) : words
}

/** Another number or another file is no other spelling. */
function mayBeCorrected(word: string): boolean {
  return /^[\p{L}\p{M}]+$/u.test(word) && !isIdentifier(word) && mayBeMisspelled(word.toLowerCase())
}

/** What may stand for each of the words. Corrections and near meanings are known in English only. */
function listNear(words: readonly string[], isEnglish: boolean): Near[] {
  const spellings = words.map((word): Near => ({ word, others: listSpellings(word) }))
  if (!isEnglish) return spellings
  return [...spellings, ...words.map(listCorrections), ...words.filter(mayHaveRelated).map(listMeanings)]
}

type Near = { word: string; others: readonly Omit<RelatedStem, 'of'>[] }

function listMeanings(word: string): Near {
  const others = findRelatedWords(word.toLowerCase())
  return { word, others: others.map((each) => ({ word: each.word, weight: weighRelated(each.similarity) })) }
}

function listCorrections(word: string): Near {
  const others = findCorrections(word.toLowerCase())
  return {
    word,
    others: others.map((each) => ({ word: each, weight: correctionWeight, isCorrection: true })),
  }
}

/** Each stem once, for the first word that it stands for, the nearest first. */
function listRelated(
  near: readonly Near[],
  own: ReadonlySet<string>,
  listStems: (word: string) => readonly string[],
): RelatedStem[] {
  const found = new Map<string, RelatedStem>()
  for (const { word, others } of near) {
    const [of] = listStems(word)
    if (of === undefined) continue
    let left = maxRelatedOfWord
    for (const other of others) {
      const [stem] = listStems(other.word)
      if (left === 0 || stem === undefined || own.has(stem) || found.has(stem)) continue
      found.set(stem, { ...other, word: stem, of })
      left -= 1
    }
  }
  return [...found.values()].sort((one, other) => other.weight - one.weight).slice(0, maxRelatedOfSentence)
}

function splitWords(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}
