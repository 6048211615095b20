/** Secrets in what tools were called with and answered: they are of one moment, and what is learnt outlives it. */

const secretWords = new Set([
  ...[
    'key',
    'keys',
    'token',
    'tokens',
    'password',
    'passwords',
    'passwd',
    'pwd',
    'passphrase',
    'secret',
    'secrets',
  ],
  ...['authorization', 'auth', 'bearer', 'credential', 'credentials', 'cookie', 'apikey'],
])
/** Written in one word, as in `accesstoken`; a `monkey` opens nothing. */
const runTogether =
  /(?:tokens?|passwords?|passwd|passphrase|secrets?|authorization|credentials?|(?:api|access|secret|private|auth|signing|encryption|master|ssh|account|client|service|session|host|deploy)keys?)$/

/** As its words are written apart: by case, digits, dashes, underscores. */
export function looksSecret(key: string): boolean {
  // A key longer than this is no name.
  const words =
    key
      .slice(0, 1_000)
      .normalize('NFKC')
      .match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+/gu) ?? []
  return words.some((word) => secretWords.has(word.toLowerCase()) || runTogether.test(word.toLowerCase()))
}

/** The value with every secret in it replaced by what kind of value it was; bodies nest at most 100 levels deep. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value)
  if (Array.isArray(value))
    return value.map((item, place) => (isAnswered(value[place - 1]) ? hide(item) : maskSecrets(item)))
  if (typeof value !== 'object' || value === null) return value
  const names = [Reflect.get(value, 'name'), Reflect.get(value, 'key'), Reflect.get(value, 'header')]
  const isNamed = names.some((name) => typeof name === 'string' && looksSecret(name))
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      looksSecret(key) || (isNamed && key.toLowerCase() === 'value') ? hide(member) : maskSecrets(member),
    ]),
  )
}

/** In a list of arguments what follows `--password` is one. */
function isAnswered(before: unknown): boolean {
  return typeof before === 'string' && /^--?[\w-]{1,100}$/.test(before) && looksSecret(before)
}

function hide(value: unknown): unknown {
  if (value === null || (typeof value === 'string' && /^<secret [a-z]+>$/.test(value))) return value
  return `<secret ${Array.isArray(value) ? 'array' : typeof value}>`
}

/** Longer JSON in a text is masked as text. */
const longestJson = 64 * 1_024

const hidden = '<secret string>'

export function maskText(text: string): string {
  return maskJson(text) ?? maskPlain(text)
}

function maskJson(text: string): string | undefined {
  if (text.length > longestJson || !/^\s*[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const masked = maskSecrets(value)
    return JSON.stringify(masked) === JSON.stringify(value) ? text : JSON.stringify(masked)
  } catch {
    return undefined
  }
}

/** Every repetition is bounded, or a text without an end could be read over and over. */
const bearer = /\b(bearer|basic|token)\s{1,10}[\w.~+/=-]{8,}/gi
const urlUser = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@]{1,500}@/gi
const assigned =
  /(?<![\w-])([\w-]{1,60})(["']?\s{0,5}[=:]\s{0,5})("[^"]{1,2000}"|'[^']{1,2000}'|[^\s"'&;,]{1,2000})/g
const flagged = /(?<![\w-])(--[\w-]{1,60})(\s{1,5})(?!-)([^\s]{1,2000})/g
const wellKnown =
  /\b(?:sk|pk|rk|ghp|gho|ghs|ghu|glpat|github_pat|xox[abprs])[-_][\w-]{10,255}\b|\bAKIA[0-9A-Z]{16}\b/g

function maskPlain(text: string): string {
  return text
    .replace(bearer, (_, scheme: string) => `${scheme} ${hidden}`)
    .replace(urlUser, (_, scheme: string) => `${scheme}${hidden}@`)
    .replace(wellKnown, hidden)
    .replace(assigned, maskAssigned)
    .replace(flagged, maskAssigned)
}

function maskAssigned(whole: string, key: string, between: string, value: string): string {
  const isMasked = value.startsWith('<secret') || /^(?:bearer|basic|token)$/i.test(value)
  // What a sentence says behind a colon: `the key: test first`.
  const isProse = between.includes(':') && /^(?:keys?|tokens?|auth|cookies?)$/i.test(key) && !/\d/.test(value)
  return looksSecret(key) && !isMasked && !isProse ? `${key}${between}${hidden}` : whole
}
