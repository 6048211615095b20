import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createRandom } from '../../../bench/load.ts'
import { createSignTable } from '../../../src/embeddings/memory/sign-table.ts'
import { createVectorPages, maxAtOnce } from '../../../src/embeddings/memory/vector-pages.ts'
import { countRuns } from '../../support/long-run.ts'

it('the product of a question and each vector in memory is that of their numbers', () => {
  const vectors = fc.integer({ min: 1, max: 8 }).chain((parts) =>
    fc.tuple(
      fc.int8Array({ minLength: 16 * parts, maxLength: 16 * parts, min: -127 }),
      fc.array(fc.int8Array({ minLength: 16 * parts, maxLength: 16 * parts, min: -127 }), {
        minLength: 1,
        maxLength: 20,
      }),
    ),
  )
  const pages = createVectorPages(1_000_000)
  const start = pages.take() ?? 0
  fc.assert(
    fc.property(vectors, ([question, others]) => {
      const addresses = Uint32Array.from(others, (_, at) => start + at * question.length)
      for (const [at, other] of others.entries()) pages.write(addresses[at] ?? 0, other)
      const products = others.map((other) =>
        other.reduce((sum, value, at) => sum + value * (question[at] ?? 0), 0),
      )
      expect([...pages.compare(question, addresses)]).toEqual(products)
    }),
    { numRuns: countRuns(200) },
  )
})

it('the vectors whose signs differ least from those of a question are found, across pages', () => {
  const random = createRandom(4)
  const dimensions = 200
  const draw = () =>
    Int8Array.from({ length: 208 }, (_, at) => (at < dimensions ? Math.round(random() * 254 - 127) : 0))
  const vectors = Array.from({ length: 5_000 }, draw)
  const signs = createSignTable({ pages: createVectorPages(1_000_000), dimensions })
  for (const vector of vectors) expect(signs.add(vector)).toBe(true)
  const question = draw()
  const differences = vectors.map(
    (vector) => vector.filter((value, at) => value > 0 !== (question[at] ?? 0) > 0).length,
  )
  const limit = [...differences].sort((one, other) => one - other)[99] ?? 0
  const expected = differences.flatMap((difference, place) => (difference <= limit ? [place] : []))
  expect([...signs.findLikely(question, 100)]).toEqual(expected)
  expect(signs.findLikely(question, 9_000)).toHaveLength(5_000)
  for (let place = 0; place < 4_000; place++) signs.clear(place)
  const few = question.map((value) => Math.min(0, value))
  expect([...signs.findLikely(few, 900)].every((place) => place >= 4_000)).toBe(true)
  expect(signs.findLikely(few, 9_000)).toHaveLength(1_000)
  const small = createSignTable({ pages: createVectorPages(65_536), dimensions })
  expect(vectors.every((vector) => small.add(vector))).toBe(false)
})

it('the largest numbers of the longest vector fit, and as many vectors as one call takes', () => {
  const pages = createVectorPages(1_000_000)
  const address = pages.take() ?? 0
  const vector = new Int8Array(4_096).fill(-127)
  pages.write(address, vector)
  const products = pages.compare(vector, new Uint32Array(maxAtOnce).fill(address))
  expect(products).toHaveLength(maxAtOnce)
  expect(new Set(products)).toEqual(new Set([4_096 * 127 ** 2]))
})

it('pages end with the room, and those that are given back are taken again', () => {
  const pages = createVectorPages(2 * 65_536)
  const first = pages.take() ?? 0
  const second = pages.take() ?? 0
  expect([first === second, pages.take(), pages.countFree()]).toEqual([false, undefined, 0])
  pages.giveBack([first, second])
  expect(new Set([pages.take(), pages.take(), pages.take()])).toEqual(new Set([first, second, undefined]))
})
