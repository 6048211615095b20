import { computeRarity } from '../words/common-words.ts'
import { isMeasure } from './secret-keys.ts'

/** Recognises values that are no secret although the key before them looks like the name of one. */

/** A key with its value in a text, from `before` to `end`. `between` is the sign of the assignment and its spaces. */
export type Assignment = { key: string; between: string; value: string; end: number; before: number }

export function isPlainAssignment(text: string, assignment: Assignment): boolean {
  const { key, between, value, end } = assignment
  if (/^\\*["'`]\\*["'`]$/.test(value) || isMeasure(key, value)) return true
  // A reference to a variable or a call contains no secret.
  if (/^(?:\$\{?[A-Z_][A-Z0-9_]{0,80}\}?|process\.env\.\w{1,80}|null|undefined|true|false)$/.test(value))
    return true
  if (/\s$/.test(between) && text[end] === '(' && /^[A-Za-z_$][\w$.]{0,80}$/.test(value)) return true
  if (between.trim() !== ':') return false
  return isPlace(assignment) || isSentence(text, assignment) || isColumn(text, assignment)
}

const fileName =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kts?|php|cs|cc?|cpp|h|hpp|swift|scala|sql|sh|vue|svelte|md|html|s?css|json|ya?ml|toml|xml)$/i
const hostName =
  /[.-](?:api|app|db|server|service|svc|proxy|gateway|host|web|ui|worker|node|local|internal|com|net|org|io|dev)$/i

/** A line of a file, a test in it, a port of a host or a version of an image, such as `auth.spec.ts:14`. */
function isPlace({ key, between, value }: Assignment): boolean {
  if (between !== ':') return false
  if (fileName.test(key))
    return /^(?:\d{1,7}(?:[:-]\d{1,7})?(?::|:in)?|:[A-Za-z_][A-Za-z_:]{0,100})$/.test(value)
  return hostName.test(key) && /^(?:\d{2,5}|v?\d{1,4}\.\d{1,4}(?:\.\d{1,4})?)$/.test(value)
}

/** A sentence with a colon, such as `the key: test first`, `auth: refresh it earlier` or `token.ts: it fails here`. */
function isSentence(text: string, { key, value, end, before }: Assignment): boolean {
  if (!/^[,.]? {1,2}[A-Za-z]/.test(text.slice(end, end + 4))) return false
  if (fileName.test(key) || hostName.test(key)) return /^(?:[A-Za-z’'-]{1,20}|\d{1,4})$/.test(value)
  // No secret is "the", as in `key: the blue one`, or "it".
  if (computeRarity(value.toLowerCase()) === 0) return true
  if (!/^[a-z’'-]{1,20}$/.test(value)) return false
  if (/^auth$/i.test(key)) return true
  return (
    /^(?:keys?|tokens?|cookies?|secrets?)$/i.test(key) &&
    /[A-Za-z] $/.test(text.slice(Math.max(0, before - 2), before))
  )
}

/** The columns of a key of a table, such as `primary key: id`. */
function isColumn(text: string, { key, value, before }: Assignment): boolean {
  return (
    /^keys?$/i.test(key) &&
    /\b(?:primary|foreign|sort|partition|unique|composite) $/i.test(
      text.slice(Math.max(0, before - 12), before),
    ) &&
    /^[a-z][a-z_]{0,60}$/.test(value)
  )
}
