/** The filters and conditions of a store, as the store in memory of LangGraph understands them. */

const operators = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin'])

export function matchesFilter(
  value: Readonly<Record<string, unknown>>,
  filter: Readonly<Record<string, unknown>> | undefined,
): boolean {
  return Object.entries(filter ?? {}).every(([name, requested]) => matches(value[name], requested))
}

function matches(value: unknown, requested: unknown): boolean {
  if (!isComparison(requested)) return value === requested
  return Object.entries(requested).every(([operator, operand]) => compare(value, operator, operand))
}

function isComparison(requested: unknown): requested is Readonly<Record<string, unknown>> {
  if (typeof requested !== 'object' || requested === null) return false
  return Object.keys(requested).every((name) => operators.has(name))
}

function compare(value: unknown, operator: string, operand: unknown): boolean {
  switch (operator) {
    case '$eq':
      return value === operand
    case '$ne':
      return value !== operand
    case '$gt':
      return Number(value) > Number(operand)
    case '$gte':
      return Number(value) >= Number(operand)
    case '$lt':
      return Number(value) < Number(operand)
    case '$lte':
      return Number(value) <= Number(operand)
    case '$in':
      return Array.isArray(operand) && operand.includes(value)
    default:
      return !(Array.isArray(operand) && operand.includes(value))
  }
}

type Condition = { matchType: 'prefix' | 'suffix'; path: readonly string[] }

/** `*` stands for any one label. */
export function matchesCondition(namespace: readonly string[], { matchType, path }: Condition): boolean {
  const skipped = matchType === 'prefix' ? 0 : namespace.length - path.length
  if (path.length > namespace.length) return false
  return path.every((label, index) => label === '*' || label === namespace[skipped + index])
}

/** The labels that every namespace with these conditions begins with. */
export function findCommonPrefix(conditions: readonly Condition[]): string[] {
  const prefixes = conditions.filter(({ matchType }) => matchType === 'prefix').map(({ path }) => path)
  const lengths = prefixes.map((path) => (path.includes('*') ? path.indexOf('*') : path.length))
  const longest = lengths.indexOf(Math.max(...lengths))
  return (prefixes[longest] ?? []).slice(0, lengths[longest])
}
