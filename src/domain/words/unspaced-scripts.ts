/**
 * Scripts that write no spaces between words, or particles onto them as Hangul does. A sentence in them is a run of letters, and
 * no other sentence has the same. There is no segmenter here: its dictionary changes with the version of Node, and a question must be
 * split as the stored texts were.
 */

/** A letter with its marks. */
const letter =
  '[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}]\\p{M}*'
const letters = new RegExp(letter, 'gu')
const run = new RegExp(`((?:${letter})+)`, 'u')
const allRuns = new RegExp(run.source, 'gu')
const onlyRun = new RegExp(`^${run.source}$`, 'u')

export function holdsUnspaced(text: string): boolean {
  return run.test(text)
}

/** The words of a sequence of letters and digits: each pair of letters in a run, and what stands between the runs. */
export function splitRuns(part: string): readonly string[] {
  if (!run.test(part)) return [part]
  return part.split(run).flatMap((piece) => {
    const found = piece.match(letters) ?? []
    if (found.length < 2) return piece === '' ? [] : [piece]
    return found.slice(1).map((each, before) => `${found[before]}${each}`)
  })
}

/** In letters. */
const nameLengths = { fewest: 2, most: 6 }

/** The parts of the runs of a text that could be a name, in their order. */
export function* listNamesInRuns(text: string): Generator<string> {
  for (const [found] of text.matchAll(allRuns)) {
    const all = found.match(letters) ?? []
    for (let start = 0; start + nameLengths.fewest <= all.length; start++) {
      const longest = Math.min(nameLengths.most, all.length - start)
      for (let length = nameLengths.fewest; length <= longest; length++)
        yield all.slice(start, start + length).join('')
    }
  }
}

/** Whether a name in such a script, of two letters or more, is in a text. */
export function containsName(text: string, name: string): boolean {
  return onlyRun.test(name) && (name.match(letters)?.length ?? 0) >= nameLengths.fewest && text.includes(name)
}
