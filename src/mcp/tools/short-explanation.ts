type Explained = { worth?: { parts: readonly { contribution: number }[] } }

/** For a model: the figures rounded, and without the parts of the worth that contribute nothing. */
export function shortenExplanation(explanation: Explained): object {
  const { worth } = explanation
  const parts = worth?.parts.filter(({ contribution }) => contribution !== 0)
  return roundAll({ ...explanation, ...(worth && { worth: { ...worth, parts } }) }) as object
}

function roundAll(value: unknown): unknown {
  if (typeof value === 'number') return round(value)
  if (Array.isArray(value)) return value.map(roundAll)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, roundAll(each)]))
}

/** To four digits; of a large number, no digit before the point is lost. */
function round(value: number): number {
  return Math.abs(value) < 1_000 ? Number(value.toPrecision(4)) : Math.round(value)
}
