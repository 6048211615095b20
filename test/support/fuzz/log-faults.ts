import { marker } from './hostile-values.ts'

/** A line of level 50 or higher, which would alert an operator, or one that quotes the request. */
export function isFault(line: string): boolean {
  return line.includes(marker) || Number((JSON.parse(line) as { level?: unknown }).level) >= 50
}
