import { truncate } from '../../kernel/truncated-text.ts'

/**
 * A conservative estimate of tokens by characters, without the vocabulary of a model: letters and spaces count 0.25, digits and
 * signs 0.8, and every character outside ASCII half of its UTF-8 bytes. The estimate of a text is the sum over
 * its characters, so a budget can be filled piece by piece.
 */

/** Weights are whole twentieths of a token, because sums of fractions depend on their order. */
const perToken = 20
const letter = 5
const digit = 16
const sign = 16
const byte = 10

const ascii = Uint8Array.from({ length: 128 }, (_, code) => weighAscii(String.fromCharCode(code)))

function weighAscii(character: string): number {
  if (/[A-Za-z ]/.test(character)) return letter
  return /\d/.test(character) ? digit : sign
}

function weighUnit(code: number): number {
  if (code < 128) return ascii[code] ?? sign
  if (code < 0x800) return 2 * byte
  // Each half of a surrogate pair is two of its four bytes.
  return code >= 0xd800 && code <= 0xdfff ? 2 * byte : 3 * byte
}

/** In twentieths of a token. */
export function measureWeight(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at++) sum += weighUnit(text.charCodeAt(at))
  return sum
}

/** The most characters that a text of this weight can have. */
export function countMaxCharacters(weight: number): number {
  return Math.ceil(weight / letter) + 1
}

export function toTokens(weight: number): number {
  return Math.ceil(weight / perToken)
}

export function toWeight(tokens: number): number {
  return tokens * perToken
}

export function estimateTokens(text: string): number {
  return toTokens(measureWeight(text))
}

const ellipsis = '…'

/** Cuts a text at its end so that it weighs at most `most`, never inside a surrogate pair. */
export function cutToWeight(text: string, most: number): string {
  const room = most - measureWeight(ellipsis)
  let sum = 0
  let fitting = 0
  for (let at = 0; at < text.length; at++) {
    sum += weighUnit(text.charCodeAt(at))
    if (sum > most) return `${truncate(text, fitting)}${ellipsis}`
    if (sum <= room) fitting = at + 1
  }
  return text
}
