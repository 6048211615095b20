import { createGrowingArray } from '../../../kernel/growing-array.ts'

/** What can be true of a text, as bits. */
const bits = { asks: 1, isOnlyName: 2, isOfAssistant: 4 }

export type Trait = keyof typeof bits

/** The traits of texts, by their places. */
export function createTraitList() {
  const list = createGrowingArray(Uint8Array)

  return {
    push(traits: Readonly<Record<Trait, boolean>>): void {
      const { asks, isOnlyName, isOfAssistant } = bits
      list.push(
        (traits.asks ? asks : 0) |
          (traits.isOnlyName ? isOnlyName : 0) |
          (traits.isOfAssistant ? isOfAssistant : 0),
      )
    },
    has: (place: number, trait: Trait) => ((list.values[place] ?? 0) & bits[trait]) !== 0,
    get bytes() {
      return list.bytes
    },
  }
}
