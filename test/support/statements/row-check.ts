import type { ResultColumn } from './result-columns.ts'
import type { Shape } from './row-types.ts'

type Breach = { column: string; problem: string }

/** How the columns that a statement answers differ from its declared row. */
export function compareRow(columns: readonly ResultColumn[], row: ReadonlyMap<string, Shape>): Breach[] {
  const answered = new Set(columns.map(({ name }) => name))
  const missing = [...row.keys()].filter((name) => !answered.has(name))
  return [
    ...columns.flatMap((column) => {
      const declared = row.get(column.name)
      if (declared) return compareColumn(column, declared)
      return [{ column: column.name, problem: 'is answered and not declared' }]
    }),
    ...missing.map((column) => ({ column, problem: 'is declared and not answered' })),
  ]
}

export function compareColumn({ name, type, answer, isNullable }: ResultColumn, declared: Shape): Breach[] {
  const fits = answer === 'json' ? declared.fitsJson : [answer, 'unknown'].includes(declared.name)
  const problems = [
    ...(fits ? [] : [`is ${type}, answered as ${answer}, declared as ${declared.name}`]),
    ...(isNullable && !declared.isNullable ? ['can be null and is not declared so'] : []),
  ]
  return problems.map((problem) => ({ column: name, problem }))
}
