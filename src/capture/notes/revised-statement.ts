import { type Fact, notePredicate, observedPredicate } from '../../domain/identity/handles.ts'
import { containsWords } from '../../retrieval/index.ts'

/** What a fact says after a text has replaced what it said. */

type Said = { predicate: string; object: unknown }

/** The object of these facts is a text in full. */
const textPredicates = new Set([notePredicate, observedPredicate, 'profile', 'summary', 'contains'])

/**
 * An agent reads a fact as one sentence, such as "shop-api is deployed to eu-west-1", and replaces the sentence. The text becomes the
 * new object only as far as it does not repeat the subject and the predicate. A sentence in other words becomes a note, because
 * subject, predicate and sentence read one after the other would say the same twice. `names` are those of the subject.
 */
export function reviseStatement({ predicate, object }: Fact, names: readonly string[], text: string): Said {
  if (typeof object === 'object' || textPredicates.has(predicate)) return { predicate, object: text }
  const verb = predicate.replaceAll('_', ' ')
  const rest = names.map((name) => cutBeginning(text, `${name} ${verb} `)).find((each) => each !== undefined)
  if (rest !== undefined) return { predicate, object: rest }
  const isSentence = [verb, ...names].some((words) => containsWords(text, words))
  return isSentence ? { predicate: notePredicate, object: text } : { predicate, object: text }
}

/** The rest of a sentence without its full stop. */
function cutBeginning(text: string, beginning: string): string | undefined {
  if (text.slice(0, beginning.length).toLowerCase() !== beginning.toLowerCase()) return undefined
  const rest = text.slice(beginning.length).trim()
  const object = rest.endsWith('.') ? rest.slice(0, -1) : rest
  return object === '' ? undefined : object
}
