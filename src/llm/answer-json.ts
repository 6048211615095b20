/** An answer has an end: some fifty thousand tokens. */
const maxAnswerLength = 256 * 1_024

/** Each opening that nothing closes is read to the end of the text, so both have an end. */
const maxScannedCharacters = 1_024 * 1_024
const maxOpenBrackets = 2_000

/**
 * The JSON object or array in a text, whatever stands around it; undefined when there is none. Of several the longest,
 * for prose has brackets too (`as in [1]`), and of those alike the last, for models correct themselves.
 */
export function findJson(answer: string): unknown {
  const text = answer.slice(0, maxAnswerLength)
  const whole = tryParse(text.trim())
  if (isContainer(whole)) return whole
  let found: { value: unknown; length: number } | undefined
  let [read, openings] = [0, 0]
  for (
    let start = nextStart(text, 0);
    start >= 0 && read < maxScannedCharacters && openings < maxOpenBrackets;
    openings++
  ) {
    const end = findEnd(text, start)
    read += (end ?? text.length) - start
    const value = end === undefined ? undefined : tryParse(text.slice(start, end))
    const length = value === undefined || end === undefined ? 1 : end - start
    if (value !== undefined && length >= (found?.length ?? 0)) found = { value, length }
    start = nextStart(text, start + length)
  }
  return found?.value
}

function nextStart(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '{' || text[at] === '[') return at
  return -1
}

/** Behind the bracket that closes the one at `start`; brackets within strings are text. */
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

/** The quote that ends a string; behind the text when none does. */
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

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
