import { isAscii } from '../words/ascii.ts'

/** Recognises names of members that hold a secret. */

const secretWords = new Set([
  'key',
  'keys',
  'token',
  'tokens',
  'password',
  'passwords',
  'passwd',
  'pwd',
  'passphrase',
  'passcode',
  'secret',
  'secrets',
  'authorization',
  'auth',
  'bearer',
  'credential',
  'credentials',
  'cookie',
  'cookies',
  'apikey',
  'jwt',
])
/** Names written as one word, such as `accesstoken`. `monkey` does not match. */
const joined =
  /(?:tokens?|passwords?|passwd|passphrase|secrets?|authorization|credentials?|(?:api|access|secret|private|auth|signing|encryption|master|ssh|account|client|service|session|host|deploy)keys?)$/
const hint = /key|token|pass|pwd|secret|auth|bearer|credential|cookie|jwt/i

/** Only the start of a longer key is examined: it is not a name. */
const longestKey = 1_000

/**
 * Whether the name of a member says that its value is a secret. It splits the name by case, digits, dashes and
 * underscores and checks each word.
 */
export function looksSecret(key: string): boolean {
  const name = key.slice(0, longestKey)
  if (isAscii(name) && !hint.test(name)) return false
  const words = splitWords(name)
  return words.some((word, place) => {
    if (!secretWords.has(word)) return joined.test(word)
    return !(/^keys?$/.test(word) && plainKeys.has(words[place - 1] ?? ''))
  })
}

/** Words before `key` that make it a column or a place in a cache, as in `primary_key` and `cacheKey`. */
const plainKeys = new Set(['primary', 'foreign', 'sort', 'partition', 'unique', 'composite', 'cache'])

function splitWords(name: string): string[] {
  const words = name.normalize('NFKC').match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu) ?? []
  return words.map((word) => word.toLowerCase())
}

const counted = new Set(['tokens', 'keys'])
const measures = new Set(['count', 'counts', 'length', 'limit', 'size', 'type', 'usage', 'budget'])

/**
 * `max_tokens: 4096` and `token_count: 5` are quantities, and `token_type: bearer` is a kind. None of them is a
 * secret.
 */
export function isMeasure(key: string, value: unknown): boolean {
  const last = splitWords(key.slice(0, longestKey)).at(-1) ?? ''
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\d{1,9}$/.test(value))
  if (counted.has(last)) return isNumber
  if (!measures.has(last)) return false
  return (
    isNumber || (last === 'type' && typeof value === 'string' && /^[A-Za-z][A-Za-z_-]{0,20}$/.test(value))
  )
}

const names =
  /(?:password|passwords|passwd|pwd|passphrase|passcode|secret|token|credential|credentials|(?:api|access|private|secret|account|encryption)[\s_-]?key)$/

/**
 * Whether a subject or a predicate names a secret, so that the object is one. Stricter than for a key: `needs a key`
 * is knowledge.
 */
export function namesSecret(phrase: string): boolean {
  return names.test(
    phrase
      .slice(-longestKey)
      .normalize('NFKC')
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .trim(),
  )
}
