import { createGrowingArray } from '../../../kernel/collections/growing-array.ts'
import { createNumbering } from './numbering.ts'

/** About the bytes that the name of a speaker takes. */
const bytesOfName = 200

/** The names of who wrote the messages, by the place of their texts. A text without one has a place here too. */
export function createSpeakerList() {
  const names = createNumbering()
  /** By place, the number of the name and one; 0 without a name. */
  const speakerOf = createGrowingArray(Uint32Array)

  const getNumber = (place: number): number => speakerOf.values[place] ?? 0
  return {
    push: (name: string | null): void => speakerOf.push(name === null ? 0 : names.assignNumber(name) + 1),
    getNumber,
    getName: (place: number): string | null => names.getName(getNumber(place) - 1) ?? null,
    get bytes() {
      return speakerOf.bytes + names.count * bytesOfName
    },
  }
}
