export type Quantity = { value: number; unit: string }

/** One row of the table. The ratio is measured ÷ limit, both from the same run, because the speed of a machine varies. */
export type Result = {
  work: string
  measured: Quantity
  limit?: Quantity & { of: string }
  ratio?: number
  mustReach?: { text: string; reached: boolean }
  /** How the benchmark checks that the measured work was done. */
  verified: string
  details?: Record<string, number | string>
}

export const tableHeadings = ['work', 'measured', 'for comparison', 'ratio', 'target', 'missed']

export function renderTable(results: readonly Result[]): string {
  const rows = [tableHeadings, ...results.map(renderCells)]
  const widths = tableHeadings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '))
  return lines.map((line) => line.trimEnd()).join('\n')
}

export function renderCells({ work, measured, limit, ratio, mustReach }: Result): string[] {
  return [
    work,
    renderQuantity(measured),
    limit ? `${renderQuantity(limit)} (${limit.of})` : '–',
    ratio === undefined ? '–' : ratio.toFixed(2),
    mustReach?.text ?? '–',
    mustReach && !mustReach.reached ? 'MISSED' : '',
  ]
}

export function renderQuantity({ value, unit }: Quantity): string {
  const text = value >= 1_000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3)
  return `${text} ${unit}`
}

export function atLeast(ratio: number, minimum: number): Result['mustReach'] & object {
  return { text: `≥ ${minimum}×`, reached: ratio >= minimum }
}

export function atMost(value: number, maximum: number, unit: string): Result['mustReach'] & object {
  return { text: `≤ ${maximum} ${unit}`, reached: value <= maximum }
}
