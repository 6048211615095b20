import { isCommonWord } from './common-words.ts'

/** Words that most sentences have some of, in French, Spanish, German, Italian, Portuguese and Dutch. */
const functionWords: ReadonlySet<string> = new Set(
  `ai au aux avec ce cette combien des du elle est et ils je la le les leur mes mon nous où pour pourquoi quand quel
  quelle quelles quels qui que sa ses sont sur ta tes tu un une vous al con cuál cuándo cuánto cómo de del dónde el en
  está las los mi mis para por qué quién su sus una y auf das dem den der ein eine einen gern gibt habe haben ich ist
  mag mein meine meinem meinen meiner mit nicht und von wann warum wem wen wer wie wir wo zu zum zur che chi della di
  dove gli ho il lo mia mio perché quale quando sono ao com da em eu foi meu minha não onde os qual quem são uma een het
  hoe ik mijn niet op van voor waar waarom wanneer wat wie zijn`.split(/\s+/),
)

/** One word may be of a name, such as "Le Monde". */
const fewest = 2

/** Whether words are of a sentence in another language than English. Words in an English vocabulary are then not expected. */
export function isOtherLanguage(words: readonly string[]): boolean {
  const lower = words.map((word) => word.toLowerCase())
  const others = lower.filter((word) => functionWords.has(word) || hasAccent(word)).length
  return others >= fewest && others > lower.filter(isCommonWord).length
}

/** Whether one word may be another that is misspelled: an accent is not written by mistake. */
export function mayMean(written: string, other: string): boolean {
  return !hasAccent(written) || hasAccent(other) || removeAccents(written) === other
}

function hasAccent(word: string): boolean {
  return removeAccents(word) !== word
}

function removeAccents(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '')
}
