import { createReader, createUnspacedReader, type PeriodReader, year } from './period-reader.ts'
import { listDateRanges, type Range } from './periods.ts'

/** Dates whose month is a number: `2025-03-07`, `2025/3/7`, `7.3.2025`, `2025-03`, `2025年3月7日`. */

const month = '(0?[1-9]|1[0-2])'
const day = '(\\d{1,2})'
const timeOfDay = 't[\\d:.]+(?:z|[+-]\\d\\d:?\\d\\d)?'

export const digitDateReaders: readonly PeriodReader[] = [
  createUnspacedReader(`(?:${year}[年년] ?)?${month}[月월](?: ?${day}[日号號일])?`, ([y, m, d], at) =>
    listDateRanges(at, { year: y, month: Number(m), day: d }),
  ),
  createReader(`${year}([-/.])${month}\\2${day}(?:${timeOfDay})?`, ([y, , m, d], at) =>
    listDateRanges(at, { year: y, month: Number(m), day: d }),
  ),
  createReader(`${day}\\.${month}\\.${year}`, ([d, m, y], at) =>
    listDateRanges(at, { year: y, month: Number(m), day: d }),
  ),
  createReader(`${day}([-/])${day}\\2${year}`, ([one, , other, y], at) => [
    ...listDaysOf(at, y, one, other),
    ...listDaysOf(at, y, other, one),
  ]),
  createReader(`${year}[-/.]${month}`, ([y, m], at) => listDateRanges(at, { year: y, month: Number(m) })),
]

/** `3/5/2025` is both the third of May and the fifth of March. */
function listDaysOf(at: Date, y: string | undefined, d: string | undefined, m: string | undefined): Range[] {
  const number = Number(m)
  return number >= 1 && number <= 12 ? listDateRanges(at, { year: y, month: number, day: d }) : []
}
