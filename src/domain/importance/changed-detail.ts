import { computeRarity } from '../words/common-words.ts'
import { figures, times } from '../worth/worth-english.ts'

/**
 * Vectors hardly differ between a statement and its correction: "Anna's number is 555-1234" and "… 555-9876" say the opposite of a
 * repetition. So texts of nearly the same words are compared by these.
 */

/** Where more words differ, the vectors tell better whether the texts say the same. */
const maxChanged = 6
/** More of a text is not compared. */
const maxRead = 4_000

/** Whether two texts differ in few words, one of which is a figure, a time, a name or a negation. */
export function differsInDetail(one: string, other: string): boolean {
  const [left, right] = [listTokens(one), listTokens(other)]
  const changed = [...listMissing(left, right), ...listMissing(right, left)]
  return changed.length <= maxChanged && changed.some(isDetail)
}

/** The words and figures, by their lower case. Each sign of a script without spaces is one. */
function listTokens(text: string): Map<string, string> {
  const found = text.normalize('NFKC').slice(0, maxRead).replaceAll('’', "'").match(token) ?? []
  return new Map(found.map((each) => [each.toLowerCase(), each]))
}
const token =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}][\p{L}\p{M}\p{N}'_-]*(?:[.,:/]\p{N}[\p{L}\p{N}_-]*)*/gu

function listMissing(from: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  return [...from].flatMap(([word, written]) => (other.has(word) ? [] : [written]))
}

function isDetail(written: string): boolean {
  const word = written.toLowerCase()
  if (/[\p{N}〇零一二三四五六七八九十百千万]/u.test(word) || negation.test(word)) return true
  if (word.match(times) !== null || word.match(figures) !== null) return true
  return /^\p{Lu}/u.test(written) && computeRarity(word) > 0
}
const negation =
  /^(?:no|not|never|none|nobody|nothing|without|cannot|\p{L}+n't|nicht|nie|niemals|kein\p{L}{0,2}|ohne|pas|jamais|aucune?|sans|nunca|jamás|ningun[ao]|ningún|sin|не|нет|никогда|без|[不没沒无無非])$/u
