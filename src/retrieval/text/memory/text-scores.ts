import { createGrowingArray } from '../../../kernel/collections/growing-array.ts'
import { b, k1 } from '../bm25.ts'
import { type createPostingLists, getCount, getPlace } from './posting-lists.ts'

type Postings = Pick<ReturnType<typeof createPostingLists>, 'read'>
type Places = { values: Uint32Array; length: number }

/** `group` and `length` (in words) of each text, by its place. `isSearched` of each group, by its number. */
type Texts = { isSearched: Uint8Array; group: Uint32Array; length: Uint32Array; count: number }

type Scoring = {
  /** From the rarest to the most common; `list` is undefined for a word that no text contains. */
  words: readonly { list: number | undefined; weight: number }[]
  texts: Texts
  averageLength: number
  /** How many of the best are requested; undefined for all. */
  enough: number | undefined
}

type Adding = {
  weight: number
  norm: { shortest: number; perWord: number }
  texts: Texts
  found: ReturnType<typeof createGrowingArray<Uint32Array>>
}

/** Adds up the scores of texts, word by word. Their buffer is kept for the next search, and is empty between searches. */
export function createTextScores(postings: Postings) {
  let scores = new Float64Array(0)

  /** Returns the places of the texts that contain one of the words. */
  function add({ words, texts, averageLength, enough }: Scoring): Places {
    if (scores.length < texts.count) scores = new Float64Array(texts.group.length)
    const found = createGrowingArray(Uint32Array)
    const norm = { shortest: k1 * (1 - b), perWord: (k1 * b) / averageLength }
    // No word adds more than its weight: where enough texts have a higher score already, no other text can be among the best.
    let open = words.reduce((sum, { weight }) => sum + weight, 0)
    let isFull = false
    for (const { list, weight } of words) {
      isFull ||= enough !== undefined && hasAtLeast(found, open, enough)
      open -= weight
      if (list === undefined) continue
      const addPart = isFull ? addToFound : addToAll
      postings.read(list, (entries, from, to) =>
        addPart(entries.subarray(from, to), { weight, norm, texts, found }),
      )
    }
    return found
  }

  function addToAll(entries: Uint32Array, adding: Adding): void {
    const { found, texts } = adding
    const { isSearched, group } = texts
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at] as number
      const place = getPlace(entry)
      if (isSearched[group[place] as number] !== 1) continue
      const score = scores[place] as number
      if (score === 0) found.push(place)
      scores[place] = score + computeGain(entry, adding)
    }
  }

  function addToFound(entries: Uint32Array, adding: Adding): void {
    for (let at = 0; at < entries.length; at++) {
      const entry = entries[at] as number
      const place = getPlace(entry)
      const score = scores[place] as number
      if (score !== 0) scores[place] = score + computeGain(entry, adding)
    }
  }

  function hasAtLeast({ values, length }: Places, least: number, most: number): boolean {
    let enough = 0
    for (let at = 0; at < length && enough < most; at++) {
      if ((scores[values[at] as number] as number) >= least) enough += 1
    }
    return enough >= most
  }

  /** Visits the scores of places, and clears them. */
  function take({ values, length }: Places, visit: (place: number, score: number) => void): void {
    for (let at = 0; at < length; at++) {
      const place = values[at] as number
      visit(place, scores[place] as number)
      scores[place] = 0
    }
  }

  return {
    add,
    take,
    get bytes() {
      return scores.byteLength
    },
  }
}

/** The amount that a word adds to the score of a text. */
function computeGain(entry: number, { weight, norm, texts }: Adding): number {
  const length = texts.length[getPlace(entry)] as number
  return weight / (1 + (norm.shortest + norm.perWord * length) / getCount(entry))
}
