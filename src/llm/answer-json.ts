import { isContainer } from '../kernel/json-objects.ts'

/** In characters, about 50,000 tokens. A longer answer is cut. */
const maxAnswerLength = 256 * 1_024

/** An opening bracket that is never closed is read to the end of the text. These limits bound the total work. */
const maxScannedCharacters = 1_024 * 1_024
const maxOpenBrackets = 2_000

/**
 * Returns the JSON object or array in a text, or undefined. It returns the longest one, because prose contains
 * brackets too (`as in [1]`), and of equally long ones the last, because models correct themselves.
 */
export function findJson(answer: string): unknown {
  const text = answer.slice(0, maxAnswerLength)
  const whole = tryParse(text.trim())
  if (isContainer(whole)) return whole
  let found: { value: unknown; length: number } | undefined
  let read = 0
  let openings = 0
  for (
    let start = findNextStart(text, 0);
    start >= 0 && read < maxScannedCharacters && openings < maxOpenBrackets;
    openings++
  ) {
    const end = findEnd(text, start)
    read += (end ?? text.length) - start
    const value = end === undefined ? undefined : tryParse(text.slice(start, end))
    const length = value === undefined || end === undefined ? 1 : end - start
    if (value !== undefined && length >= (found?.length ?? 0)) found = { value, length }
    start = findNextStart(text, start + length)
  }
  return found?.value
}

function findNextStart(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '{' || text[at] === '[') return at
  return -1
}

/** Returns the position after the bracket that closes the one at `start`. Brackets within strings are text. */
function findEnd(text: string, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = findQuote(text, at + 1)
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1
  }
  return undefined
}

/** Returns the position of the quote that ends a string, or the end of the text. */
function findQuote(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
