import type { SimulatedPoint } from './simulation.schemas.ts'

/** Sums over the forgotten records of a simulation, one for each value that it tries. */

export function createEmptyPoint(value: number | null): SimulatedPoint {
  return { value, forgotten: 0, bytes_saved: 0, regretted: 0 }
}

export function addPoints(
  one: readonly SimulatedPoint[],
  other: readonly SimulatedPoint[],
): SimulatedPoint[] {
  return one.map((point, place) => {
    const { forgotten = 0, bytes_saved = 0, regretted = 0 } = other[place] ?? {}
    return {
      ...point,
      forgotten: point.forgotten + forgotten,
      bytes_saved: point.bytes_saved + bytes_saved,
      regretted: point.regretted + regretted,
    }
  })
}
