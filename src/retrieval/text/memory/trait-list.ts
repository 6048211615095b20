import { createGrowingArray } from '../../../kernel/collections/growing-array.ts'
import type { RecordTraits } from '../../scoring/record-traits.ts'

type Trait = keyof RecordTraits | 'asks'
const bits = { asks: 1, isOnlyName: 2, isOfAssistant: 4, isGuidance: 8, onlyAsks: 16, statesOnlyFact: 32 }
const names = Object.keys(bits) as Trait[]

/** The traits of texts as bits, by their places. */
export function createTraitList() {
  const list = createGrowingArray(Uint8Array)

  return {
    push(traits: Readonly<Record<Trait, boolean>>): void {
      list.push(names.reduce((sum, name) => sum | (traits[name] ? bits[name] : 0), 0))
    },
    has: (place: number, trait: Trait) => ((list.values[place] ?? 0) & bits[trait]) !== 0,
    get bytes() {
      return list.bytes
    },
  }
}
