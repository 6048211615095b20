import { createGrowingArray } from '../../../kernel/growing-array.ts'

/** What the name of a speaker takes, roughly. */
const bytesOfName = 200

/** The names of who wrote the messages, by the place of their texts. A text without one has a place here too. */
export function createSpeakerList() {
  /** By place, the number of the speaker; 0 without a name. */
  const speakerOf = createGrowingArray(Uint32Array)
  const names: (string | null)[] = [null]
  const numbers = new Map<string, number>()

  function push(name: string | null): void {
    speakerOf.push(name === null ? 0 : assignNumber(name))
  }

  function assignNumber(name: string): number {
    const known = numbers.get(name)
    if (known !== undefined) return known
    const number = names.push(name) - 1
    numbers.set(name, number)
    return number
  }

  const getNumber = (place: number): number => speakerOf.values[place] ?? 0
  return {
    push,
    getNumber,
    getName: (place: number) => names[getNumber(place)] ?? null,
    get bytes() {
      return speakerOf.bytes + names.length * bytesOfName
    },
  }
}
