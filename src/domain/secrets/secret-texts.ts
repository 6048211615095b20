import { isAscii } from '../words/ascii.ts'
import { isPlainAssignment } from './plain-assignments.ts'
import { looksSecret } from './secret-keys.ts'

/**
 * Masks secrets in plain text. Every repetition in the patterns is bounded, so that no text makes the search slow.
 */

export const secretText = '<secret string>'

/** The most characters of a value that are examined, in the pattern of a value without quotes as well. */
const longestValue = 10_000
/** Limits the search for a closing bracket: unclosed brackets would be read again and again. */
const longestBrackets = 2_000

export function maskPlain(text: string): string {
  return isHarmless(text) ? text : maskSuspect(text)
}

const hints =
  /key|token|pass|pwd|secret|auth|bearer|basic|digest|credential|cookie|jwt|:\/\/|-u\s|--user|slack|discord|[?&](?:sig|x-amz-sig|x-goog-sig)/i

/**
 * Every rule below needs one of the hints or a well-known token. Most texts have none, and this is the cheapest
 * check.
 */
function isHarmless(text: string): boolean {
  return isAscii(text) && !hints.test(text) && text.search(wellKnown) === -1
}

function maskSuspect(text: string): string {
  const whole = text
    .replace(credentialUrl, (_, scheme: string) => `${scheme}${secretText}@`)
    .replace(webhook, (_, host: string) => `${host}${secretText}`)
    .replace(signature, (_, name: string) => `${name}${secretText}`)
    .replace(wellKnown, secretText)
    .replace(scheme, maskScheme)
    .replace(element, (given, open: string, name: string) =>
      looksSecret(name) ? `${open}${secretText}` : given,
    )
  return maskBlocks(maskAssigned(whole))
    .replace(flagged, (given, flag: string, space: string, value: string) =>
      looksSecret(flag) && !value.startsWith('<secret') ? `${flag}${space}${secretText}` : given,
    )
    .replace(userFlag, (_, flag: string, user: string) => `${flag}${user}:${secretText}`)
    .replace(spoken, (_, words: string) => `${words}${secretText}`)
}

/**
 * User and password of a URL or a connection string. The password may contain characters that are not allowed there.
 */
const credentialUrl =
  /\b((?!git@)[a-z][a-z0-9+.-]{0,30}:\/\/)(?!git@|<secret)(?:[^\s/:?#@"'`<>]{0,200}:(?!\d{1,5}[/?#])[^\s"'`<>]{1,200}@(?=[\w.[])|[^\s/?#"'`<>]{1,500}@)/gi
const webhook =
  /(\bhooks\.slack\.com\/(?:services|workflows)\/|\bdiscord(?:app)?\.com\/api\/webhooks\/)[\w/-]{8,200}/gi
const signature = /([?&](?:sig|signature|x-amz-signature|x-goog-signature)=)(?!<secret)[^\s&"'#]{1,2000}/gi

/** Tokens with the well-known prefix of a service. */
const wellKnown = new RegExp(
  `(?<![A-Za-z0-9])(?:${[
    '(?:sk|pk|rk)-(?=[\\w-]{0,200}[0-9A-Z])[\\w-]{10,400}',
    '(?:sk|pk|rk)_(?:live|test|prod)_[\\w-]{8,255}',
    '(?:gh[opsur]|github_pat|glpat|shpat|dckr_pat|dop_v1)[-_][\\w-]{20,400}',
    '(?:gh[opsur]|github_pat|glpat|gldt|glrt|glcbt|glptt|shpat|shpss|shpca|dckr_pat|whsec|npm|hf|dop_v1|doo_v1|dapi|lin_api|ntn|secret)[-_](?=[\\w-]{0,200}[0-9])[\\w-]{10,400}',
    'xox[a-z]-[\\w-]{8,255}',
    'xapp-[\\w-]{8,255}',
    'pypi-[\\w-]{16,400}',
    '(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA)[0-9A-Z]{16}(?![0-9A-Za-z])',
    'AIza[\\w-]{30,60}',
    'ya29\\.[\\w.-]{8,400}',
    // Only the first of several in a row: each of them would read the rest of the row again.
    '(?<!(?<![A-Za-z0-9])eyJ[\\w-]{0,200}?)eyJ[\\w-]{8,4000}\\.[\\w-]{4,8000}(?:\\.[\\w-]{0,2000})?',
    'SG\\.[\\w-]{8,80}\\.[\\w-]{8,100}',
    'AGE-SECRET-KEY-1[0-9A-Z]{20,100}',
  ].join('|')})`,
  'g',
)

const scheme = /\b(bearer|basic|token|digest|apikey)(\s{1,10})([\w.~+/=:-]{8,4000})/gi

/**
 * `basic authentication` and `token refreshing` are prose. A real credential contains digits, symbols or inner
 * capitals.
 */
function maskScheme(given: string, name: string, space: string, value: string): string {
  const isWord = /^[A-Z]?[a-z]+(?:[-/:.][A-Z]?[a-z]+)*[.:]?$/.test(value)
  return isWord ? given : `${name}${space}${secretText}`
}

const element = /(<([\w:.-]{1,100})>)(?!<secret)[^<]{1,2000}(?=<\/)/g
const flagged = /(?<![\w-])(--?[\w-]{2,60})(\s{1,5})(?![-<])("[^"]{0,2000}"|'[^']{0,2000}'|[^\s]{1,2000})/g
const userFlag = /(?<=\s)(-u\s{1,5}|--user[\s=]{1,5})([^\s:"']{1,100}):(?!<secret)[^\s"']{1,500}/g
/** A secret in a sentence, such as `the password of the staging database is now: hunter22`. */
const spoken =
  /\b((?:password|passphrase|passwd|passcode|pwd|token|secret|api[ _-]?key)(?:\s{1,3}(?:for|of|on|to|at|in)(?:\s{1,3}[^\s"'`]{1,60}){1,5}?)?\s{1,3}(?:is|was|has\s{1,3}been)(?:\s{1,3}(?:now|set|reset|changed|rotated|to|still|again)){0,3}(?:\s{0,3}[:=]\s{0,3}|\s{1,3})["'`]?)(?=[^\s"'`]{0,200}\d)(?!<secret)[^\s"'`]{4,2000}/gi

const keyed = /(?<![\p{L}\p{N}_.-])([\p{L}\p{N}_.-]{1,200})(\\{0,40}["'`]?\]?\s{0,5}(?:=>|:=|[=:])\s{0,5})/gu

/** Examines every key, so that a secret behind another key, as in `args: {password: x}`, is found too. */
function maskAssigned(text: string): string {
  const parts: string[] = []
  let kept = 0
  keyed.lastIndex = 0
  for (let found = keyed.exec(text); found; found = keyed.exec(text)) {
    const [whole, key = '', between = ''] = found
    const start = found.index + whole.length
    // The end of a masked value is not searched: it may be far away, and the next key would search for it again.
    if (!looksSecret(key) || isMasked(text, start)) continue
    const end = endOfValue(text, start, key)
    const value = text.slice(start, end)
    if (end === start || isPlainAssignment(text, { key, between, value, end, before: found.index })) continue
    const quote = /^\\*["'`]/.exec(value)?.[0] ?? ''
    parts.push(text.slice(kept, start), quote, secretText, value.endsWith(quote) ? quote : '')
    kept = keyed.lastIndex = end
  }
  return kept === 0 ? text : parts.join('') + text.slice(kept)
}

function isMasked(text: string, start: number): boolean {
  return /^\\*["'`]?<secret [a-z]+>/.test(text.slice(start, start + 80))
}

const lineKeys = /^(?:(?:proxy-?)?authorization|(?:set-?)?cookies?)$/i
const schemes = /(?:bearer|basic|token|digest|negotiate|ntlm|apikey|aws4-hmac-sha256|hawk|signature)\s/iy
const bare =
  /(?:[^\s"'`,;&(){}[\]<>\\]|\\(?!["'`])|[,;&(){}[\]<>](?=[^\s"'`,;&(){}[\]<>\\])(?!\\{0,40}["'`]?[\p{L}\p{N}_.-]{1,60}\\{0,40}["'`]?\s?[=:])){1,10000}/uy

function endOfValue(text: string, start: number, key: string): number {
  const opened = /\\{0,40}["'`]/y
  opened.lastIndex = start
  const quote = opened.exec(text)?.[0]
  if (quote !== undefined) return endOfQuoted(text, start + quote.length, quote)
  if (text[start] === '{' || text[start] === '[') return endOfBrackets(text, start)
  schemes.lastIndex = start
  const isLine = lineKeys.test(key) && (schemes.test(text) || /cookies?$/i.test(key))
  if (isLine) return endOfLine(text, start)
  bare.lastIndex = start
  const end = bare.exec(text) ? bare.lastIndex : start
  return Math.min(end, start + longestValue)
}

/** A quote after more backslashes than the opening quote is part of the value. */
function endOfQuoted(text: string, start: number, quote: string): number {
  const sign = quote.slice(-1)
  const most = Math.min(text.length, start + longestValue)
  for (let at = start, slashes = 0; at < most; at++) {
    if (text[at] === sign && slashes < quote.length) return at + 1
    slashes = text[at] === '\\' ? slashes + 1 : 0
  }
  return most
}

function endOfBrackets(text: string, start: number): number {
  const most = Math.min(text.length, start + longestBrackets)
  for (let at = start, depth = 0; at < most; at++) {
    const sign = text[at] ?? ''
    if (sign === '{' || sign === '[') depth++
    if (sign === '}' || sign === ']') depth--
    if (depth === 0) return at + 1
  }
  return most
}

function endOfLine(text: string, start: number): number {
  const most = Math.min(text.length, start + longestValue)
  for (let at = start; at < most; at++) if (/["'`\r\n\\]/.test(text[at] ?? '')) return at
  return most
}

const privateBlock = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----/g
const blockEnd = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,20}-----/g

/** Masks private key blocks. A block without an end is masked up to the end of the text. */
function maskBlocks(text: string): string {
  const parts: string[] = []
  let kept = 0
  privateBlock.lastIndex = 0
  for (let found = privateBlock.exec(text); found; found = privateBlock.exec(text)) {
    blockEnd.lastIndex = privateBlock.lastIndex
    const isClosed = blockEnd.exec(text) !== null
    parts.push(text.slice(kept, found.index), secretText)
    kept = privateBlock.lastIndex = isClosed ? blockEnd.lastIndex : text.length
    if (!isClosed) break
  }
  return kept === 0 ? text : parts.join('') + text.slice(kept)
}
