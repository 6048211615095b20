import { countBits } from '../../domain/bit-count.ts'

/** Sign signatures in memory, as they are read of a whole partition. */
export type Signatures = { size: number; words: Uint32Array }

const wordsEach = 32

/**
 * A cosine of 0.8 is an angle that a fifth of 1,024 bits see, give or take thirteen; four times that farther are the
 * signatures of one pair in thirty thousand that are so near.
 */
export const maxDistance = 262

/** What those at the edge have at an eighth and a half of the way, with five deviations to spare. */
const quarter = { words: 8, most: 85 }
const half = { words: 16, most: 150 }

/** How many bits differ; beyond the edge only that it is beyond. */
export function distanceBetween({ words }: Signatures, one: number, other: number): number {
  const [left, right] = [one * wordsEach, other * wordsEach]
  let distance = countDifferent(words, left, right, 0, quarter.words)
  if (distance > quarter.most) return maxDistance + 1
  distance += countDifferent(words, left, right, quarter.words, half.words)
  if (distance > half.most) return maxDistance + 1
  return distance + countDifferent(words, left, right, half.words, wordsEach)
}

export function hasBit({ words }: Signatures, place: number, bit: number): boolean {
  return (((words[place * wordsEach + (bit >> 5)] ?? 0) >>> (bit & 31)) & 1) === 1
}

function countDifferent(words: Uint32Array, left: number, right: number, from: number, to: number): number {
  let count = 0
  for (let word = from; word < to; word++) {
    count += countBits((words[left + word] ?? 0) ^ (words[right + word] ?? 0))
  }
  return count
}
