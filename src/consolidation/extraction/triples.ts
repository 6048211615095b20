import Type from 'typebox'
import type { Triple } from '../facts/fact-groups.ts'

/** Reads the model's answer as facts. Each invalid fact is dropped alone. */

const maxNameLength = 1_000
const maxObjectLength = 8_000
const maxDepth = 32
const maxTriples = 50

const Text = () => Type.String({ minLength: 1, maxLength: maxNameLength })

export const ExtractionAnswer = Type.Object(
  {
    facts: Type.Array(Type.Object({ subject: Text(), predicate: Text(), object: Type.Unknown() })),
  },
  { description: 'Lasting facts, as triples.' },
)

/** Returns undefined if the answer contains no list. */
export function readTriples(answer: unknown): Triple[] | undefined {
  const value = findList(answer)
  return value
    ?.slice(0, maxTriples * 4)
    .flatMap(readTriple)
    .slice(0, maxTriples)
}

function findList(answer: unknown): readonly unknown[] | undefined {
  if (Array.isArray(answer)) return answer
  if (typeof answer !== 'object' || answer === null) return undefined
  const list = ['facts', 'triples'].map((name) => Reflect.get(answer, name)).find(Array.isArray)
  return list ?? (readTriple(answer).length > 0 ? [answer] : undefined)
}

function readTriple(value: unknown): Triple[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'object')) return []
  const [subject, predicate, object] = ['subject', 'predicate', 'object'].map((name) =>
    Reflect.get(value, name),
  )
  if (!isName(subject) || !isName(predicate) || !isStorable(object, 0)) return []
  if (object === null || (typeof object === 'string' && object.trim() === '')) return []
  if ((JSON.stringify(object)?.length ?? 0) > maxObjectLength) return []
  return [{ subject: subject.trim(), predicate: predicate.trim(), object }]
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxNameLength && isText(value)
}

/** PostgreSQL refuses NUL characters and unpaired surrogates. */
function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

function isStorable(value: unknown, depth: number): boolean {
  if (depth > maxDepth) return false
  if (typeof value === 'string') return isText(value)
  // A larger integer would not be the number that the model wrote.
  if (typeof value === 'number')
    return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return value !== undefined
  return Object.entries(value).every(
    ([key, member]) => key !== '__proto__' && isText(key) && isStorable(member, depth + 1),
  )
}
