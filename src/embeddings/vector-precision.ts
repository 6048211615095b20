import type { Precision } from '../domain/vector-codes.ts'

/**
 * The bits that a vector keeps, by the retention of its record: the first level whose limit the retention exceeds.
 */
export const precisionLevels: readonly { above: number; bits: Precision }[] = [
  { above: 0.8, bits: 32 },
  { above: 0.5, bits: 8 },
  { above: 0.2, bits: 4 },
  { above: Number.NEGATIVE_INFINITY, bits: 2 },
]

export function precisionOf(retention: number): Precision {
  return precisionLevels.find(({ above }) => retention > above)?.bits ?? 2
}
