import type { Schemas } from '../core/operations.ts'

type Fact = Extract<Schemas['Payload'], { kind: 'semantic' }>

/** The object of these facts is a text in full. */
const textPredicates = new Set(['note', 'observed_in', 'profile', 'summary', 'contains'])

/**
 * A model reads a fact as one sentence and replaces the sentence, as with the tool `revise` over MCP. So the new object is only what
 * follows the subject and the predicate in the text, and a sentence in other words becomes a note.
 */
export function reviseStatement(
  { subject, predicate, object }: Pick<Fact, 'subject' | 'predicate' | 'object'>,
  text: string,
): Pick<Fact, 'predicate' | 'object'> {
  if (typeof object === 'object' || textPredicates.has(predicate)) return { predicate, object: text }
  const verb = predicate.replaceAll('_', ' ')
  const beginning = `${subject} ${verb} `
  if (text.slice(0, beginning.length).toLowerCase() === beginning.toLowerCase()) {
    const rest = text.slice(beginning.length).trim()
    const said = rest.endsWith('.') ? rest.slice(0, -1) : rest
    if (said !== '') return { predicate, object: said }
  }
  const isSentence = [subject, verb].some((words) => spell(text).includes(spell(words)))
  return isSentence ? { predicate: 'note', object: text } : { predicate, object: text }
}

/** In a script without spaces between words, each letter is a word. */
const word =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|[\p{L}\p{N}]+/gu

function spell(text: string): string {
  return ` ${(text.normalize('NFKC').toLowerCase().match(word) ?? []).join(' ')} `
}
