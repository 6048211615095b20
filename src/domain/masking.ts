import { isMeasure, looksSecret, namesSecret } from './secret-keys.ts'
import { maskPlain, secretText } from './secret-texts.ts'

/**
 * Secrets in what was captured. An episode keeps its raw payload; whatever is made of it, searched, embedded or shown
 * to a model is masked first.
 */

export { looksSecret } from './secret-keys.ts'

/** Replaces each secret in the value by the kind of value it was. Bodies nest at most 100 levels deep. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value)
  if (typeof value !== 'object' || value === null) return value
  const mask = (item: unknown, isSecret: boolean) => (isSecret ? replaceSecret(item) : maskSecrets(item))
  if (Array.isArray(value)) {
    const isSecret = findSecretItems(value)
    return value.map((item, place) => mask(item, isSecret(item, place)))
  }
  const isSecret = findSecretMembers(value)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, mask(member, isSecret(key, member))]),
  )
}

/**
 * What stands in an object or a list, each secret replaced, and what is within left as it is. One by one: there may be
 * millions. A list has no keys.
 */
export function* maskMembers(container: object): Generator<[key: string | undefined, member: unknown]> {
  if (Array.isArray(container)) {
    const isSecret = findSecretItems(container)
    for (const [place, item] of container.entries())
      yield [undefined, isSecret(item, place) ? replaceSecret(item) : item]
    return
  }
  const isSecret = findSecretMembers(container)
  for (const key of Object.keys(container)) {
    const member: unknown = Reflect.get(container, key)
    yield [key, isSecret(key, member) ? replaceSecret(member) : member]
  }
}

/** Members that may name what a sibling holds, such as `{name: 'Authorization', value: '…'}`. */
const namingMembers = [
  ...['name', 'key', 'header', 'field', 'label', 'param', 'parameter', 'variable', 'option', 'flag'],
  'namespace',
]
const holdingMembers = new Set(['value', 'values', 'val', 'content', 'default', 'text'])

function findSecretMembers(container: object): (key: string, member: unknown) => boolean {
  const name = namingMembers.map((each): unknown => Reflect.get(container, each)).find(isSecretName)
  const holds = Object.keys(container).some((key) => holdingMembers.has(key.toLowerCase()))
  return (key, member) => {
    // The `key` of a key and its value is a name.
    if (holds && key === 'key' && typeof member === 'string') return false
    if (looksSecret(key)) return !isMeasure(key, member)
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

/** In a list of arguments the item after `--password` is a secret, and in a list of headers the one after `Cookie`. */
function followsSecretName(before: unknown): boolean {
  if (typeof before !== 'string') return false
  return (/^--?[\w-]{1,100}$/.test(before) && looksSecret(before)) || secretHeader.test(before)
}

function replaceSecret(value: unknown): unknown {
  if (value === null || (typeof value === 'string' && /^<secret [a-z]+>$/.test(value))) return value
  return `<secret ${Array.isArray(value) ? 'array' : typeof value}>`
}

/** Longer JSON in a text is masked as text. */
const longestJson = 256 * 1_024

/** The least `maxLength` of a field that holds masked text. */
const shortestField = 256

/** A mask may be longer than its secret. The result still fits where the text did: its end is cut off. */
export function maskText(text: string): string {
  const masked = maskJson(text) ?? maskPlain(text)
  const longest = Math.max(text.length, shortestField)
  return masked.length <= longest ? masked : cutBeforeMask(masked.slice(0, longest))
}

/** Leaves neither a part of a mask nor half of a character at the end. */
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

/** A fact whose subject or predicate names a secret keeps them and loses its object. */
export function maskFact<T extends Triple>(fact: T): T {
  const { subject, predicate, object } = fact
  const isValue = typeof object === 'string' ? !/\s/.test(object.trim()) : typeof object === 'number'
  const isSecret = isValue && (namesSecret(predicate) || (namesSecret(subject) && isEquality(predicate)))
  return {
    ...fact,
    ...{ subject: maskText(subject), predicate: maskText(predicate) },
    object: isSecret ? replaceSecret(object) : maskSecrets(object),
  }
}

function isEquality(predicate: string): boolean {
  return /^(?:is|are|was|=|==|equals?|has[_ ]value|value|set[_ ]to|is[_ ]set[_ ]to)$/i.test(predicate.trim())
}

/** Whether the text holds a mask, and so is no name of anything. */
export function holdsMask(text: string): boolean {
  return text.includes(secretText) || /<secret [a-z]+>/.test(text)
}
