/** Texts in requests: so many that a request is worth its journey, and not so many that no server takes it. */

export type Text = { id: string; text: string }

const mostTexts = 32
/** Some sixteen thousand tokens of English, and no more than 64 thousand of any script. */
const mostCharacters = 65_536

export function groupTexts(texts: readonly Text[]): Text[][] {
  const groups: Text[][] = []
  let characters = 0
  for (const each of texts) {
    const last = groups.at(-1)
    characters += each.text.length
    if (last && last.length < mostTexts && characters <= mostCharacters) last.push(each)
    else {
      groups.push([each])
      characters = each.text.length
    }
  }
  return groups
}

/** The halves of a group that was refused; none of a single text, which is then known as the one that is. */
export function halve(group: readonly Text[]): Text[][] {
  if (group.length < 2) return []
  const middle = Math.ceil(group.length / 2)
  return [group.slice(0, middle), group.slice(middle)]
}

/** A character cut in two would be no text any more. */
export function clip({ id, text }: Text, length: number): Text {
  return { id, text: text.slice(0, length).toWellFormed() }
}

/** Signs alone say nothing: a model would refuse them, or put them just anywhere. */
export function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}
