import { saysOnlySuccess } from '../domain/payloads/generated-summary.ts'
import { readWorthParts } from '../domain/worth/worth-parts.ts'

/**
 * Whether the summary of an event says what happened. A question, a supposition or an "ok" would be a wrong or an empty
 * fact, and so would one that consists only of masks and punctuation.
 */
export function saysWhatHappened(summary: string): boolean {
  const text = dropMasks(summary)
  return saysWhatItIsAbout(summary) && !endsAsQuestion(text) && !isSupposition(text)
}

/** Whether a summary shows when a skill fits: a question does, an "ok" does not. */
export function saysWhatItIsAbout(summary: string): boolean {
  const text = dropMasks(summary)
  return hasWords(text) && !isReply(text) && !saysOnlySuccess(text)
}

function dropMasks(text: string): string {
  return text.replace(/<secret [a-z]+>/g, '').trim()
}

function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

function endsAsQuestion(text: string): boolean {
  return /[?？؟]["'”’)]?$/u.test(text)
}

/** "If the cache is cold, warm it up first" is a rule that was found, and no supposition. */
function isSupposition(text: string): boolean {
  return suppositions.some((pattern) => pattern.test(text.slice(0, maxRead)))
}
/** In characters: where a text supposes something, it says so soon. */
const maxRead = 500
const suppositions = [
  /^(?:what if|suppose|supposing|imagine|hypothetically)\b/i,
  /^if\b.{1,200}\b(?:would|could|might)\b/i,
  /\b(?:would|could)\b.{1,200}\bif(?: [\p{L}'’]+){1,4} (?:were|had)\b/iu,
  /\b(?:just|only) (?:kidding|joking)\b/i,
]

/** In characters. Longer texts are not read for this, because reading the words of every event takes time. */
const longestReply = 60

/** A reply such as "Done." or "Thanks!" says nothing apart from what it replies to. */
function isReply(text: string): boolean {
  if (text.length > longestReply) return false
  const { greeting, information } = readWorthParts({ text })
  return greeting > 0 && information === 0
}
