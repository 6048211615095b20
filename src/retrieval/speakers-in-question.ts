import { isCommonWord } from '../domain/common-words.ts'

const word = /[\p{L}\p{N}\p{M}]+/gu

/**
 * Returns whether a speaker is named in a question: by one word of the name is enough. A name that is a common word too, as "Will",
 * is only meant where it has a capital inside of the sentence.
 */
export function createSpeakerCheck(question: string): (speaker: string) => boolean {
  const named = new Set<string>()
  for (const [index, written] of splitWords(question).entries()) {
    const lower = written.toLowerCase()
    const isCapitalInside = index > 0 && written !== lower
    if (isCapitalInside || !isCommonWord(lower)) named.add(lower)
  }
  return (speaker) => splitWords(speaker).some((each) => named.has(each.toLowerCase()))
}

function splitWords(text: string): string[] {
  return text.normalize('NFKC').match(word) ?? []
}
