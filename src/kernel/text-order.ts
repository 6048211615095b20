/** Orders texts by their code units, for `sort`: the same order on every machine. */
export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
