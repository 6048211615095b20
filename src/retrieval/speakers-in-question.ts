import { isCommonWord } from '../domain/words/common-words.ts'
import { listPlainWords } from '../domain/words/query-words.ts'
import { containsName } from '../domain/words/unspaced-scripts.ts'

/** Names that some clients write for everybody: "How does a user sign in?" does not ask about a speaker. */
const roles: ReadonlySet<string> = new Set(
  'agent ai assistant bot client customer human model system team tool user'.split(' '),
)

/**
 * Returns whether a speaker is named in a question. Of several words of a name one is enough where it has a capital inside of the
 * sentence: "What did Byron say?" names Ada Byron, "When does the project end?" does not name a Project Manager. A common word, as
 * "Will", and a role are names only with such a capital.
 */
export function createSpeakerCheck(question: string): (speaker: string) => boolean {
  const capitals = new Set<string>()
  const others = new Set<string>()
  for (const [index, written] of listPlainWords(question).entries()) {
    const lower = written.toLowerCase()
    if (index > 0 && written !== lower) capitals.add(lower)
    else if (!isCommonWord(lower) && !roles.has(lower)) others.add(lower)
  }
  return (speaker) => {
    const name = listPlainWords(speaker.toLowerCase())
    const isWhole = name.length > 0 && name.every((each) => capitals.has(each) || others.has(each))
    return isWhole || name.some((each) => capitals.has(each) || containsName(question, each))
  }
}
