/** Numbers names from 0 in the order in which they are added, each once. */
export function createNumbering() {
  const names: string[] = []
  const numbers = new Map<string, number>()

  function assignNumber(name: string): number {
    const known = numbers.get(name)
    if (known !== undefined) return known
    const number = names.push(name) - 1
    numbers.set(name, number)
    return number
  }

  return {
    assignNumber,
    getName: (number: number): string | undefined => names[number],
    get count() {
      return names.length
    },
  }
}
