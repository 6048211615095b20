import { isTopicWord } from './topic-words.ts'

/** Finds in a question what only says how or why it is asked: "Before I forget, where does Ada live, by any chance?" Only in English. */

/** How such a part begins, if that is enough to know it. "Just before the trip, …" says something. */
const opening = new RegExp(
  `^\\W{0,9}(?:${[
    'apologies|sorry|(?:real )?quick(?:ly)?|not sure|roughly|refresh my|help me out',
    'by the way|btw|by any chance|(?:just )?out of (?:curiosity|interest)',
    'just (?:checking|curious|for|so|to|trying|wondering)|to (?:be (?:clear|sure)|double[- ]check)',
    '(?:another|one (?:last|more|other|quick)) (?:question|thing)|(?:it|that|this) (?:could|may|might) be',
  ].join('|')})\\b`,
  'i',
)

const person = "(?:I|me|my|we|you|(?:I|we|you)['’](?:d|ll|m|re|ve))"
const thought =
  '(?:ask(?:ed|ing)?|blank|check(?:ing)?|confused|correctly|curious|forget(?:ting)?|forgot(?:ten)?|have you|have it|head|know|memory|mind|mistaken|mix(?:ed|ing)|recall|remember(?:ing)?|sure|track of|wonder(?:ed|ing)?)'
/** "I can't recall", "if you don't mind". */
const asking = new RegExp(`\\b${person}\\b.{0,60}\\b${thought}\\b`, 'i')

/** "When I asked you about the car, …" is about the car. */
const period = /^\W{0,9}(?:after|during|in|on|when|where)\b/i

const talk =
  '(?:her|his|my|our|that|the|their|this|your) (?:chat|conversation|dialogue|discussion|message|talk)s?'
/** No subject and no time follows: these are asked for. */
const plain = `(?!.{0,60}(?:\\b(?:about|after|at|before|in(?! ${talk})|last|on|regarding|since|this|today|yesterday)\\b|\\d))`
/**
 * Where or by whom something was said: "In the conversation between Ada and Bo, …", "…, as Ada told Bo?". The names do not say who
 * is asked about.
 */
const told = new RegExp(
  `^\\W{0,9}(?:(?:according to|based on|during|from|in) ${talk}(?: (?:between|with) ${plain}.{1,60})?|as ${plain}(?:\\S{1,30} ){0,3}(?:described|discussed|explained|mentioned|said|stated|told)\\b.{0,60})$`,
  'i',
)

/** In words that are not common. A part with more of them says something of its own. */
const mostWords = 4

/** A capital or a digit, but not "I". */
const name = /^(?!I(?!\p{L}))[\p{Lu}\p{N}]/u

function isAside(part: string): boolean {
  if (told.test(part)) return true
  const words = part.match(/[\p{L}\p{N}'’]+/gu) ?? []
  if (words.slice(1).some((word) => name.test(word))) return false
  if (words.filter(isTopicWord).length > mostWords) return false
  return opening.test(part) || (asking.test(part) && !period.test(part))
}

const comma = '\\s?(?:,|[–—]|\\s-(?=\\s))\\s{0,9}'
const begin = new RegExp(`^([^,?–—]{3,90}?)${comma}(\\S.*)$`, 'su')
const end = new RegExp(`^(.+)${comma}([^,?–—]{3,60})\\?\\W{0,9}$`, 'su')
/** Before a question. */
const mostAsides = 3

/** The question of a sentence, and the asides before and after it. */
export function splitAsides(sentence: string): { asides: string[]; question: string } {
  const asides: string[] = []
  let question = sentence
  while (asides.length < mostAsides) {
    const [, aside = '', rest = ''] = begin.exec(question) ?? []
    if (!isAside(aside)) break
    asides.push(aside)
    question = rest
  }
  const [, asked, last = ''] = end.exec(question) ?? []
  return asked !== undefined && isAside(last)
    ? { asides: [...asides, last], question: `${asked.trimEnd()}?` }
    : { asides, question }
}
