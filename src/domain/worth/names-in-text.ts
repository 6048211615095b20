import { computeRarity } from '../words/common-words.ts'

/** How many words have a capital letter inside a sentence. */
export function countNames(text: string, speakers: ReadonlySet<string> | undefined): number {
  const found = new Set<string>()
  for (const [, name = ''] of text.matchAll(capitalised)) {
    // Without a mark before it, or after an emoji, the first word of a sentence looks like a name.
    if (!speakers?.has(name) && computeRarity(name.toLowerCase()) > 0) found.add(name)
  }
  return found.size
}

const capitalised = /(?<=[\p{L}\p{N},;:'’)"”] ["'“‘(]?)(\p{Lu}\p{Ll}[\p{L}'’-]*)/gu
