import { AppError } from '../kernel/errors.ts'
import { parseDuration } from '../kernel/units.ts'
import type { NewSimulation } from './simulation.schemas.ts'

const hourMs = 3_600_000
const shortestMs = hourMs
const longestMs = 365 * 24 * hourMs

/** Refuses a request that a schema cannot: it asks nothing or several things, or looks back too far. */
export function requireOneQuestion({
  over,
  half_life,
  budget,
  policies,
}: Omit<NewSimulation, 'scope'>): void {
  const asked = [half_life, budget, policies].filter((question) => question !== undefined).length
  const overMs = parseDuration(over) ?? 0
  const errors = [
    ...(asked === 1
      ? []
      : [{ pointer: '', message: 'must have exactly one of half_life, budget and policies' }]),
    ...(overMs >= shortestMs && overMs <= longestMs
      ? []
      : [{ pointer: '/over', message: 'must be from 1h to 365d' }]),
  ]
  if (errors.length > 0) throw new AppError('validation_failed', 'The simulation is not valid.', { errors })
}
