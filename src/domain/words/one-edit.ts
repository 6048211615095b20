/** Whether two different words differ by one letter: one too many, one too few, a wrong one, or two neighbours in each other's place. */
export function isOneEditApart(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  const added = long.length - short.length
  if (added > 1) return false
  let start = 0
  while (start < short.length && short[start] === long[start]) start += 1
  if (added === 1) return short.slice(start) === long.slice(start + 1)
  if (start === short.length) return false
  if (short.slice(start + 1) === long.slice(start + 1)) return true
  return (
    short[start] === long[start + 1] &&
    short[start + 1] === long[start] &&
    short.slice(start + 2) === long.slice(start + 2)
  )
}
