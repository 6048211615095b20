import { isContainer } from '../../kernel/json-objects.ts'
import { truncate } from '../../kernel/truncated-text.ts'
import { maskMembers, maskText } from './masking.ts'

/**
 * Writes JSON as one line such as `build: {id: 7, ok: true}`, with secrets masked, for the prompt of a model.
 */

/** Deeper levels are written as `…`. It also bounds the recursion. */
const deepestLevel = 32

/** Characters beyond the limit that are masked too, because a mask is shorter than its secret. */
const maxCharactersMasked = 65_536

/**
 * Returns at most `limit` characters. The cost depends on the limit, not on the value, which may have megabytes.
 */
export function outline(value: unknown, limit: number, without: readonly string[] = []): string {
  const line: Line = { parts: [], left: limit }
  if (isContainer(value)) writeMembers(line, value, 0, without)
  else write(line, value, 0)
  return clip(line.parts.join(''), limit)
}

/** Cuts a text, but never inside a surrogate pair: PostgreSQL rejects half a character. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${truncate(text, limit - 1)}…`
}

/** Accepts one character more than the limit, so that `clip` sees that there was more. */
type Line = { parts: string[]; left: number }

function append(line: Line, text: string): void {
  line.parts.push(text.slice(0, line.left + 1))
  line.left -= text.length
}

function write(line: Line, value: unknown, depth: number): void {
  if (!isContainer(value)) {
    append(
      line,
      typeof value === 'string' ? maskText(value.slice(0, line.left + maxCharactersMasked)) : String(value),
    )
    return
  }
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  append(line, open)
  if (depth < deepestLevel) writeMembers(line, value, depth + 1)
  else append(line, '…')
  append(line, close)
}

function writeMembers(line: Line, value: object, depth: number, without: readonly string[] = []): void {
  let isFirst = true
  for (const [name, member] of maskMembers(value)) {
    if (line.left < 0) return
    if (name !== undefined && without.includes(name)) continue
    append(line, `${isFirst ? '' : ', '}${name === undefined ? '' : `${name}: `}`)
    write(line, member, depth)
    isFirst = false
  }
}
