/** How far a count has come towards `full`, from 0 to 1. The first ones count most, and those after `full` nothing. */
export function saturate(count: number, full: number): number {
  return Math.min(1, Math.log1p(count) / Math.log1p(full))
}
