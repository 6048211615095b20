export type Observation = {
  features: readonly number[]
  /** A part of the sum that is known. */
  offset: number
  outcome: boolean
}

const maxRounds = 50
const precise = 1e-9

/**
 * Logistic regression by Newton's method. `penalty` is on the squares of weights, with features in units of their
 * standard deviation; the constant is free. Answers a weight for each feature.
 */
export function fitLogistic(observations: readonly Observation[], penalty: number): number[] {
  const width = observations[0]?.features.length ?? 0
  const scales = Array.from({ length: width }, (_, at) =>
    measure(observations.map((each) => each.features[at] ?? 0)),
  )
  const rows = observations.map(({ features }) => [
    1,
    ...features.map((value, at) => (value - (scales[at]?.mean ?? 0)) / (scales[at]?.deviation ?? 1)),
  ])
  // Newton's method diverges from a start at which every outcome is near certain.
  const start = -measure(observations.map(({ offset }) => offset)).mean
  const weights = [start, ...scales.map(() => 0)]
  for (let round = 0; round < maxRounds; round++) {
    const step = solve(...derive(rows, observations, weights, penalty))
    for (const [at, change] of step.entries()) weights[at] = (weights[at] ?? 0) + change
    if (step.every((change) => Math.abs(change) < precise)) break
  }
  return scales.map(({ deviation }, at) => (weights[at + 1] ?? 0) / deviation)
}

function measure(values: readonly number[]): { mean: number; deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  return { mean, deviation: Math.sqrt(variance) || 1 }
}

/** The negative of the second derivative of the log-likelihood, and its first. */
function derive(
  rows: readonly (readonly number[])[],
  observations: readonly Observation[],
  weights: readonly number[],
  penalty: number,
): [matrix: number[][], vector: number[]] {
  const matrix = weights.map((_, at) => weights.map((_, other) => (at === other && at > 0 ? penalty : 0)))
  const vector = weights.map((weight, at) => (at > 0 ? -penalty * weight : 0))
  for (const [index, row] of rows.entries()) {
    const { offset = 0, outcome = false } = observations[index] ?? {}
    const sum = row.reduce((total, value, at) => total + value * (weights[at] ?? 0), offset)
    const expected = 1 / (1 + Math.exp(-sum))
    for (const [at, value] of row.entries()) {
      vector[at] = (vector[at] ?? 0) + value * (Number(outcome) - expected)
      const line = matrix[at] ?? []
      for (const [other, second] of row.entries())
        line[other] = (line[other] ?? 0) + value * second * expected * (1 - expected)
    }
  }
  return [matrix, vector]
}

/** Solves matrix · x = vector by elimination. The matrix is positive definite. */
function solve(matrix: number[][], vector: number[]): number[] {
  const rows = matrix.map((row, at) => [...row, vector[at] ?? 0])
  for (const [at, pivot] of rows.entries()) {
    const head = pivot[at] ?? 1
    for (const [other, row] of rows.entries()) {
      if (other === at) continue
      const share = (row[at] ?? 0) / head
      for (let column = at; column < row.length; column++)
        row[column] = (row[column] ?? 0) - share * (pivot[column] ?? 0)
    }
  }
  return rows.map((row, at) => (row.at(-1) ?? 0) / (row[at] ?? 1))
}
