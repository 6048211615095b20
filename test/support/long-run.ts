/** Set by `npm run test:long`, which has the time for what `npm test` samples. */
export const isLongRun = process.env['MEMBRANE_TEST_LONG'] === '1'

/** How many times a property is tried: all of them in a long run, otherwise a tenth. */
export function countRuns(most: number): number {
  return isLongRun ? most : Math.ceil(most / 10)
}
