import { parseDuration } from '../kernel/units.ts'

/** For a text that has been checked. */
export function toMilliseconds(text: string): number {
  return parseDuration(text) ?? 0
}

/** In a schedule, 0 means never. */
export function parseInterval(text: string): number {
  const interval = toMilliseconds(text)
  return interval === Number.POSITIVE_INFINITY ? 0 : interval
}
