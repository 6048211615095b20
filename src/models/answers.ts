/** More openings than this in one answer, and it is no JSON with prose around it. */
const mostStarts = 32

/** Each opening may be read to the end of the text, so that has an end: some fifty thousand tokens. */
const longestAnswer = 256 * 1_024

/** The first JSON object or array in a text, whatever stands around it; undefined when there is none. */
export function findJson(answer: string): unknown {
  const text = answer.slice(0, longestAnswer)
  const whole = parse(text.trim())
  if (isContainer(whole)) return whole
  for (let start = nextStart(text, 0), tried = 0; start >= 0 && tried < mostStarts; tried++) {
    const end = findEnd(text, start)
    const value = end < 0 ? undefined : parse(text.slice(start, end))
    if (value !== undefined) return value
    start = nextStart(text, start + 1)
  }
  return undefined
}

function nextStart(text: string, from: number): number {
  const [object, list] = [text.indexOf('{', from), text.indexOf('[', from)]
  if (object < 0 || list < 0) return Math.max(object, list)
  return Math.min(object, list)
}

/** Behind the bracket that closes the one at `start`; brackets within strings are text. */
function findEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = findQuote(text, at + 1)
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1
  }
  return -1
}

/** The quote that ends a string; behind the text when none does. */
function findQuote(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
