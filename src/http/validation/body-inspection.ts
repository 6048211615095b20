import type { Fault } from '../../kernel/errors.ts'
import { joinPointer } from './schema-keywords.ts'

const maxDepth = 100
const maxStringLength = 100_000
const maxFaults = 100

type Frame = { value: object; keys: readonly string[] | undefined; length: number; next: number }

/**
 * Finds values that pass a schema but cannot be stored: NUL and lone surrogates (PostgreSQL refuses them), numbers
 * that became Infinity, `__proto__`, very long strings, and nesting that would exhaust the stack later. It keeps its
 * own stack, because recursion would fail on the same nesting. Texts can be left to a later check, where only some of them
 * are stored.
 */
export function findUnstorableValues(body: unknown, texts: 'checked' | 'unchecked' = 'checked'): Fault[] {
  const faults: Fault[] = []
  const stack: Frame[] = []
  const visit = (value: unknown) => {
    const message = typeof value === 'string' && texts === 'unchecked' ? undefined : describeValueFault(value)
    if (message) faults.push({ pointer: formatPointer(stack), message })
    if (typeof value !== 'object' || value === null) return
    if (stack.length < maxDepth) stack.push(createFrame(value))
    else
      faults.push({ pointer: formatPointer(stack), message: `is nested more than ${maxDepth} levels deep` })
  }
  visit(body)
  for (let top = stack.at(-1); top && faults.length < maxFaults; top = stack.at(-1)) {
    if (top.next === top.length) {
      stack.pop()
      continue
    }
    const key = top.keys?.[top.next]
    const value = key === undefined ? (top.value as unknown[])[top.next] : Reflect.get(top.value, key)
    top.next++
    const message = key === undefined ? undefined : describeKeyFault(key)
    if (message) faults.push({ pointer: formatPointer(stack.slice(0, -1)), message })
    else visit(value)
  }
  return faults
}

function createFrame(value: object): Frame {
  if (Array.isArray(value)) return { value, keys: undefined, length: value.length, next: 0 }
  const keys = Object.keys(value)
  return { value, keys, length: keys.length, next: 0 }
}

function describeValueFault(value: unknown): string | undefined {
  if (typeof value === 'string') return describeTextFault(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return 'must be a finite number'
  return undefined
}

function describeKeyFault(key: string): string | undefined {
  if (key === '__proto__') return 'has a field __proto__, which is not allowed'
  const message = describeTextFault(key)
  return message && `has a field whose name ${message}`
}

/** Undefined for a valid text. Used for query strings and path parameters too. */
export function describeTextFault(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain a NUL character'
  if (!text.isWellFormed()) return 'must be well-formed Unicode, without lone surrogates'
  if (isTooLong(text)) return `must have at most ${maxStringLength} characters`
  return undefined
}

/** Counts code points, as PostgreSQL does. A string with few UTF-16 units needs no count. */
function isTooLong(text: string): boolean {
  if (text.length <= maxStringLength) return false
  if (text.length > 2 * maxStringLength) return true
  let count = 0
  for (const _ of text) count++
  return count > maxStringLength
}

/** `next` is already one past the child that is checked. */
function formatPointer(stack: readonly Frame[]): string {
  return stack.reduce(
    (pointer, { keys, next }) => joinPointer(pointer, keys ? (keys[next - 1] ?? '') : next - 1),
    '',
  )
}
