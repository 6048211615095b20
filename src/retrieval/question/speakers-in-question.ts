import { isCommonWord } from '../../domain/words/common-words.ts'
import { isOneEditApart } from '../../domain/words/one-edit.ts'
import { containsName } from '../../domain/words/unspaced-scripts.ts'
import { listPlainWords } from '../../domain/words/word-extraction.ts'
import { mayBeMisspelled } from '../../embeddings/index.ts'

/** Names that some clients write for everybody: "How does a user sign in?" does not ask about a speaker. */
const roles: ReadonlySet<string> = new Set(
  'agent ai assistant bot client customer human model system team tool user'.split(' '),
)

/** The speakers that a question names; if none, those whose names it misspells by a letter. */
export function listNamedSpeakers(question: string, speakers: Iterable<string>): ReadonlySet<string> {
  const all = [...speakers]
  const named = all.filter(createSpeakerCheck(question))
  return new Set(named.length > 0 ? named : all.filter(createMisspellingCheck(question)))
}

/** Returns whether a question has an unknown word with a capital that is nearly the name of a speaker. */
function createMisspellingCheck(question: string): (speaker: string) => boolean {
  const unknown = listPlainWords(question)
    .filter((written) => written !== written.toLowerCase())
    .map((written) => written.toLowerCase())
    .filter(mayBeMisspelled)
  return (speaker) =>
    listPlainWords(speaker.toLowerCase()).some((name) => unknown.some((word) => isOneEditApart(name, word)))
}

/**
 * Returns whether a speaker is named in a question. Of several words of a name one is enough where it has a capital inside of the
 * sentence: "What did Byron say?" names Ada Byron, "When does the project end?" does not name a Project Manager. A common word, as
 * "Will", and a role are names only with such a capital.
 */
function createSpeakerCheck(question: string): (speaker: string) => boolean {
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
