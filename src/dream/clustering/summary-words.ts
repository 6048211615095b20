/** Finds what can be checked in a text without understanding it: numbers, names and negations. */

export type Word = { text: string; kind: 'figure' | 'name' | 'plain'; isFirst: boolean }

const word = /[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.,:/'’@%+#-]*/gu
/** It begins at the first of several marks, because each of them would read the rest again. */
const trailing = /(?:['’]s)?(?<![.,:/'’@%+#-])[.,:/'’@%+#-]*$/u
const sentenceEnd = /[.!?:;\n•]/u

/** Words that may begin a sentence and are not names. */
const common = new Set(
  [
    'a an the this that these those it its they their he she his her we our you your i my there here',
    'and but or so yet also both either neither each every all any most many several some few one another other',
    'in on at by of for from to with without within under over after before during since until while when whenever',
    'where if because as although though once twice however therefore then thus still only not no never nobody nothing',
    'what which who whose how why is are was were has have had be been do does did can cannot could may might must',
    'should will would overall together usually often always sometimes recently currently multiple various across',
  ].flatMap((line) => line.split(' ')),
)
const negations = new Set([
  'no',
  'not',
  'never',
  'none',
  'nobody',
  'nothing',
  'neither',
  'nor',
  'without',
  'cannot',
])

export function splitWords(text: string): Word[] {
  const words: Word[] = []
  let before = 0
  for (const { 0: found, index } of text.matchAll(word)) {
    const bare = found.replace(trailing, '')
    const isFirst = words.length === 0 || sentenceEnd.test(text.slice(before, index))
    before = index + bare.length
    if (bare !== '') words.push({ text: bare, kind: getKind(bare), isFirst })
  }
  return words
}

function getKind(text: string): Word['kind'] {
  if (/\p{N}/u.test(text)) return 'figure'
  return /\p{Lu}|[_/@#]|\p{L}[.:]\p{L}/u.test(text) ? 'name' : 'plain'
}

export function isCommon({ text }: Pick<Word, 'text'>): boolean {
  return common.has(text.toLowerCase())
}

export function hasNegation(text: string): boolean {
  return splitWords(text).some(({ text: each }) => negations.has(each.toLowerCase()) || /n['’]t$/i.test(each))
}

/** Returns the same stem for `deploy`, `deploys` and `deployment`. */
export function getStem(text: string): string {
  return text.toLowerCase().replace(/s$/, '').slice(0, 5)
}

const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const part = new RegExp(`${unspaced.source}|(?:(?!${unspaced.source})[\\p{L}\\p{N}\\p{M}])+`, 'gu')

/** Splits `GPU-based` into `gpu` and `based`. In scripts without spaces each character is one part. */
export function splitParts(text: string): string[] {
  return text.toLowerCase().match(part) ?? []
}

/** Returns whether a word is long enough to show what a text is about. */
export function isContentWord(each: string): boolean {
  return each.length >= 4 || unspaced.test(each)
}

/** Returns whether the text contains the number, and not only as part of a longer one. */
export function hasFigure(text: string, figure: string): boolean {
  const plainText = simplifyFigures(text)
  const plainFigure = simplifyFigures(figure)
  for (let at = plainText.indexOf(plainFigure); at >= 0; at = plainText.indexOf(plainFigure, at + 1)) {
    const before = plainText.slice(Math.max(0, at - 2), at)
    const after = plainText.slice(at + plainFigure.length)
    if (!/\p{N}[.,]?$/u.test(before) && !/^[.,]?\p{N}/u.test(after)) return true
  }
  return false
}

/** Removes thousands separators: 10,000 becomes 10000. */
function simplifyFigures(text: string): string {
  return text.toLowerCase().replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
}
