import { computeRarity, rarity } from './common-words.ts'
import { isOtherLanguage } from './other-languages.ts'

/** How much each word of a text tells. The list of common words is English, so other languages are judged by other signs. */
export function chooseRarity(words: ReadonlySet<string>): (word: string) => number {
  const isOther = isOtherLanguage([...words])
  return (word) => (isOther || !latin.test(word) ? estimateRarity(word) : computeRarity(word))
}
const latin = /^\p{Script=Latin}/u

/**
 * In every language the words that most texts have are short, so the length of a word stands for its rarity. In scripts without spaces a
 * word is a pair of letters; hiragana and the most frequent signs say little.
 */
function estimateRarity(word: string): number {
  if (unspaced.test(word)) return (rarity.rare / 2) * word.replace(frequentSigns, '').length
  const length = hangul.test(word) ? lettersOfSyllable * word.length : word.length
  if (length <= shortWord) return rarity.every
  return length <= mediumWord ? rarity.common : rarity.rare
}
const shortWord = 3
const mediumWord = 5
const hangul = /^\p{Script=Hangul}/u
const lettersOfSyllable = 2
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const frequentSigns =
  /[\p{Script=Hiragana}的一是不了在人有我他这這个個们們中来來上大为為和国說说到地也子时時道出而要于就下得可你年生自会會那后後能对對着著之以好都没沒很吗吧呢啊么麼什给給想看去再还還过過把被让讓真太天今]/gu
