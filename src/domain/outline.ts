import { maskMembers, maskText } from './masking.ts'

/** JSON in the words of a line, such as `build: {id: 7, ok: true}`, without its secrets: for what a model is shown. */

/** Deeper than this nothing is told in a line; and the walk recurses. */
const deepestLevel = 32

/** Characters beyond the limit that are looked at too, for a mask is shorter than what it hides. */
const mostCharactersMasked = 65_536

/** At most `limit` characters, at a cost of the limit and not of the value, which may be megabytes. */
export function outline(value: unknown, limit: number, without: readonly string[] = []): string {
  const line: Line = { parts: [], left: limit }
  if (isContainer(value)) writeMembers(line, value, 0, without)
  else write(line, value, 0)
  return clip(line.parts.join(''), limit)
}

/** Never half a character: PostgreSQL refuses one. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  return `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** One character more than the limit is written, so that the clip knows there was more. */
type Line = { parts: string[]; left: number }

function append(line: Line, text: string): void {
  line.parts.push(text.slice(0, line.left + 1))
  line.left -= text.length
}

function write(line: Line, value: unknown, depth: number): void {
  if (!isContainer(value)) {
    append(
      line,
      typeof value === 'string' ? maskText(value.slice(0, line.left + mostCharactersMasked)) : String(value),
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

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
