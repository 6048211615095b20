/**
 * The tokenizer of BERT: lower case without accents, words and punctuation apart, and each word as the longest pieces that
 * the vocabulary has. It must split a text exactly as the model did from which the table was made.
 */

/** The id of each piece: those that begin a word, and those that continue one. */
export type Vocabulary = { beginning: ReadonlyMap<string, number>; continuing: ReadonlyMap<string, number> }

/** A word or a punctuation mark, and the ids of its pieces; null when the vocabulary cannot spell it. */
export type SplitWord = { word: string; pieces: readonly number[] | null }

const continues = '##'
/** In UTF-16 units. No piece of the vocabulary is longer. */
const longestPiece = 18
/** In characters. The model reads a longer word as unknown. */
const longestWord = 100

export function readVocabulary(pieces: readonly string[]): Vocabulary {
  const beginning = new Map<string, number>()
  const continuing = new Map<string, number>()
  for (const [id, piece] of pieces.entries()) {
    if (piece.startsWith(continues)) continuing.set(piece.slice(continues.length), id)
    else beginning.set(piece, id)
  }
  return { beginning, continuing }
}

export function splitText(text: string, vocabulary: Vocabulary): SplitWord[] {
  return splitWords(text).map((word) => ({ word, pieces: splitWord(word, vocabulary) }))
}

const blank = /[\t\n\r\p{Zs}]/gu
const control = /[\p{C}\ufffd]/gu
const ideograph =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu
/** The symbols of ASCII count as punctuation, other symbols do not. */
const words = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu

const beyondAscii = /[^\t\n\r -~]/

function splitWords(text: string): readonly string[] {
  // Most texts are plain ASCII, for which the other steps would change nothing.
  return (beyondAscii.test(text) ? simplify(text) : text).toLowerCase().match(words) ?? []
}

function simplify(text: string): string {
  const plain = text.replace(blank, ' ').replace(control, '').replace(ideograph, ' $& ')
  return plain.normalize('NFD').replace(/\p{Mn}/gu, '')
}

/** From the left, each time the longest piece that fits. */
function splitWord(word: string, { beginning, continuing }: Vocabulary): number[] | null {
  if (word.length > longestWord && [...word].length > longestWord) return null
  const ids: number[] = []
  for (let start = 0; start < word.length; ) {
    const known = start === 0 ? beginning : continuing
    let end = Math.min(word.length, start + longestPiece)
    while (end > start && !known.has(word.slice(start, end))) end--
    const id = known.get(word.slice(start, end))
    if (id === undefined) return null
    ids.push(id)
    start = end
  }
  return ids
}
