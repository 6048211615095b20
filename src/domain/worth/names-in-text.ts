import { computeRarity } from '../words/common-words.ts'
import { isOtherLanguage } from '../words/other-languages.ts'
import { holdsMarks } from './questions.ts'

/** How many words have a capital letter inside a sentence. `words` are those of the text, in lower case. */
export function countNames(
  text: string,
  words: ReadonlySet<string>,
  speakers: ReadonlySet<string> | undefined,
): number {
  const found = new Set<string>()
  const isMarked = holdsMarks(text)
  for (const [, name = ''] of text.matchAll(capitalised)) {
    // Without marks, the first word of a sentence looks like a name.
    if (!speakers?.has(name) && (isMarked || computeRarity(name.toLowerCase()) > 0)) found.add(name)
  }
  return found.size * (isGerman(words) ? shareInGerman : 1)
}

const capitalised = /(?<=[\p{L}\p{N},;:'’)"”] ["'“‘(]?)(\p{Lu}\p{Ll}[\p{L}'’-]*)/gu

/** In German all nouns have a capital letter. */
const shareInGerman = 1 / 2

function isGerman(words: ReadonlySet<string>): boolean {
  return germanWords.some((word) => words.has(word)) && isOtherLanguage([...words])
}
const germanWords =
  'der das dem den ein eine einen einem einer und ist nicht ich wir mit von zum zur auf für'.split(' ')
