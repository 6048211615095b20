/** Groups texts into requests: large enough to be worth a round trip, small enough for every server. */

export type Text = {
  id: string
  text: string
  /** Whether it is requested alone, because a request with it has failed before. */
  isAlone?: boolean
}

const maxTexts = 32
/** About 16,000 tokens of English, and at most 64,000 of any script. */
const maxCharacters = 65_536

export function groupTexts(texts: readonly Text[]): Text[][] {
  const groups: Text[][] = []
  let characters = 0
  for (const each of texts) {
    const last = groups.at(-1)
    characters += each.text.length
    const isApart = each.isAlone || last?.[0]?.isAlone
    if (last && !isApart && last.length < maxTexts && characters <= maxCharacters) last.push(each)
    else {
      groups.push([each])
      characters = each.text.length
    }
  }
  return groups
}

/** Shortens a text, and repairs a character that was cut in two. */
export function clip(each: Text, length: number): Text {
  return { ...each, text: each.text.slice(0, length).toWellFormed() }
}

/**
 * Whether the text contains a letter or digit. A model would refuse symbols alone, or give them a random vector.
 */
export function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}
