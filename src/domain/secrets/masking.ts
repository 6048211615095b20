import { isMeasure, looksSecret, namesSecret } from './secret-keys.ts'
import { maskPlain, secretText } from './secret-texts.ts'

/**
 * Masks secrets in captured content. An episode keeps its raw payload; everything that is derived from it, searched,
 * embedded or sent to a model is masked first.
 */

/**
 * Replaces each secret in a JSON value by the name of its type. Request bodies nest at most 100 levels deep, so the
 * recursion is safe.
 */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value)
  if (typeof value !== 'object' || value === null) return value
  const mask = (item: unknown, isSecret: boolean) => (isSecret ? replaceSecret(item) : maskSecrets(item))
  if (Array.isArray(value)) {
    const isSecret = findSecretItems(value)
    return value.map((item, place) => mask(item, isSecret(item, place)))
  }
  const isSecret = findSecretMembers(value)
  const maskName = createNameMask()
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const isPlainList = plainLists.has(key) && Array.isArray(member)
      if (isPlainList) return [maskName(key), member.map(maskSecrets)]
      return [maskName(key), namesKey(key, member) ? member : mask(member, isSecret(key, member))]
    }),
  )
}

/** Members of records that list names or sentences, each by itself: of `auth` and `billing` the first does not name the second. */
const plainLists = new Set([
  'artifacts',
  'depends_on',
  'fallbacks',
  'failure_modes',
  'next_actions',
  'open_questions',
  'required_tools',
  'tags',
  'topical_labels',
  'types',
])

const sourceMembers = new Set(['source_id', 'created_by'])
const keySource = /^key:(?:root|anonymous|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/

/** Whether a source says by its id which key of the service it came with. In a text, what follows `key:` is a secret. */
function namesKey(key: string, member: unknown): boolean {
  return sourceMembers.has(key) && typeof member === 'string' && keySource.test(member)
}

/** No secret that a text shows by itself is shorter. */
const shortestSecret = 8

/** Masks the secrets in the names of the members of an object, such as a list of keys with their owners. Two names stay two names. */
export function createNameMask(): (name: string) => string {
  let masked = 0
  return (name) => {
    const shown = name.length < shortestSecret ? name : maskPlain(name)
    if (shown === name) return name
    masked++
    return masked === 1 ? shown : `${shown} ${masked}`
  }
}

/**
 * Yields the members of an object or a list one by one, with secrets replaced and nested values unchanged. It is a
 * generator, because there may be millions of members. Items of a list have no key.
 */
export function* maskMembers(container: object): Generator<[key: string | undefined, member: unknown]> {
  if (Array.isArray(container)) {
    const isSecret = findSecretItems(container)
    for (const [place, item] of container.entries())
      yield [undefined, isSecret(item, place) ? replaceSecret(item) : item]
    return
  }
  const isSecret = findSecretMembers(container)
  const maskName = createNameMask()
  for (const key of Object.keys(container)) {
    const member: unknown = Reflect.get(container, key)
    yield [maskName(key), isSecret(key, member) ? replaceSecret(member) : member]
  }
}

/** Members whose value may name the secret in a sibling, such as `{name: 'Authorization', value: '…'}`. */
const namingMembers = [
  'name',
  'key',
  'header',
  'field',
  'label',
  'param',
  'parameter',
  'variable',
  'option',
  'flag',
  'namespace',
]
const holdingMembers = new Set(['value', 'values', 'val', 'content', 'default', 'text'])

function findSecretMembers(container: object): (key: string, member: unknown) => boolean {
  const name = namingMembers.map((each): unknown => Reflect.get(container, each)).find(isSecretName)
  const holds = Object.keys(container).some((key) => holdingMembers.has(key.toLowerCase()))
  return (key, member) => {
    // In a pair of `key` and `value` the member `key` is a name, not a secret.
    if (holds && key === 'key' && typeof member === 'string') return false
    if (looksSecret(key)) return !isMeasure(key, member) && !holdsMask(key)
    return name !== undefined && holdingMembers.has(key.toLowerCase()) && !isMeasure(name, member)
  }
}

function isSecretName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= 200 && looksSecret(name)
}

function findSecretItems(items: readonly unknown[]): (item: unknown, place: number) => boolean {
  const [first] = items
  const isPair = items.length === 2 && typeof first === 'string' && isName(first) && looksSecret(first)
  return (item, place) =>
    typeof item !== 'object' && ((isPair && place === 1) || followsSecretName(items[place - 1]))
}

function isName(text: string): boolean {
  return /^[\w.-]{1,100}$/.test(text)
}

const secretHeader = /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-[\w-]{0,60}(?:key|token|secret))$/i

/**
 * In a list of arguments the item after `--password` is a secret. In a list of headers the item after `Cookie` is
 * one.
 */
function followsSecretName(before: unknown): boolean {
  if (typeof before !== 'string') return false
  return (/^--?[\w-]{1,100}$/.test(before) && looksSecret(before)) || secretHeader.test(before)
}

function replaceSecret(value: unknown): unknown {
  if (value === null || (typeof value === 'string' && /^<secret [a-z]+>$/.test(value))) return value
  return `<secret ${Array.isArray(value) ? 'array' : typeof value}>`
}

/** Longer JSON inside a text is masked as plain text, because parsing it would cost too much. */
const longestJson = 256 * 1_024

/** The smallest `maxLength` of a field that holds masked text. */
const shortestField = 256

/**
 * Masks the secrets in a text. A mask may be longer than its secret, so the end is cut off where the result would
 * exceed the original length.
 */
export function maskText(text: string): string {
  const known = lastMasked.get(text)
  if (known !== undefined) return known
  const masked = maskOnce(text)
  if (text.length <= longestRemembered) remember(text, masked)
  return masked
}

/** A record has its texts masked for the search, for its worth and for a summary, one soon after the other. */
const lastMasked = new Map<string, string>()
const maxRemembered = 32
const longestRemembered = 4_096

function remember(text: string, masked: string): void {
  const [oldest] = lastMasked.size < maxRemembered ? [] : lastMasked.keys()
  if (oldest !== undefined) lastMasked.delete(oldest)
  lastMasked.set(text, masked)
}

function maskOnce(text: string): string {
  const masked = maskJson(text) ?? maskPlain(text)
  const longest = Math.max(text.length, shortestField)
  return masked.length <= longest ? masked : cutBeforeMask(masked.slice(0, longest))
}

/** Removes a partial mask and half of a surrogate pair at the end. */
function cutBeforeMask(text: string): string {
  return text.replace(/<[a-z ]{0,20}$|[\uD800-\uDBFF]$/, '')
}

function maskJson(text: string): string | undefined {
  if (text.length > longestJson || !/^\s*[[{"]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    const masked = maskSecrets(value)
    return JSON.stringify(masked) === JSON.stringify(value) ? text : JSON.stringify(masked)
  } catch {
    return undefined
  }
}

type Triple = { subject: string; predicate: string; object: unknown }

/** Masks a fact. When the subject or predicate names a secret, the object is replaced. */
export function maskFact<T extends Triple>(fact: T): T {
  const { subject, predicate } = fact
  const object = replaceNamedObject(fact)
  return {
    ...fact,
    subject: maskText(subject),
    predicate: maskText(predicate),
    object: object === fact.object ? maskSecrets(object) : object,
  }
}

/** The object of a fact, replaced when the subject or predicate names a secret. Secrets within it are left. */
export function replaceNamedObject({ subject, predicate, object }: Triple): unknown {
  const isValue = typeof object === 'string' ? !/\s/.test(object.trim()) : typeof object === 'number'
  const isSecret = isValue && (namesSecret(predicate) || (namesSecret(subject) && isEquality(predicate)))
  return isSecret ? replaceSecret(object) : object
}

function isEquality(predicate: string): boolean {
  return /^(?:is|are|was|=|==|equals?|has[_ ]value|value|set[_ ]to|is[_ ]set[_ ]to)$/i.test(predicate.trim())
}

/** Whether the text contains a mask, and therefore names nothing. */
export function holdsMask(text: string): boolean {
  return text.includes(secretText) || /<secret [a-z]+>/.test(text)
}
