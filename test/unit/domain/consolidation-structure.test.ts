import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestStructure, type Graph } from '../../../src/domain/procedures/plan-structure.ts'
import { countRuns, isLongRun } from '../../support/long-run.ts'

const list = (count: number) => Array.from({ length: count }, (_, place) => place)

/** Builds a graph: `a>b` is an edge, and each letter of `ops` is an operation. */
function graph(ops: string, ...edges: string[]): Graph {
  return {
    nodes: [...ops].map((op, place) => ({ id: String(place), op })),
    edges: edges.map((edge) => {
      const [from = '', to = ''] = edge.split('>')
      return { from, to, kind: 'control' }
    }),
  }
}

/** Builds the same graph with other ids and in another order. */
function disguise({ nodes, edges }: Graph, order: readonly number[]): Graph {
  const renamed = new Map(nodes.map(({ id }, place) => [id, `node ${order[place]}`]))
  const sorted = <T>(items: readonly T[]) =>
    items
      .map((item, place) => ({ item, at: order[place % order.length] ?? 0 }))
      .sort((one, other) => one.at - other.at)
      .map(({ item }) => item)
  const nameOf = (id: string) => renamed.get(id) ?? id
  return {
    nodes: sorted(nodes).map(({ id, op }) => ({ id: nameOf(id), op })),
    edges: sorted(edges).map(({ from, to, kind }) => ({ from: nameOf(from), to: nameOf(to), kind })),
  }
}

const someGraph = fc.integer({ min: 1, max: 12 }).chain((size) =>
  fc
    .record({
      ops: fc.array(fc.constantFrom('a', 'b'), { minLength: size, maxLength: size }),
      edges: fc.uniqueArray(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), {
        maxLength: 20,
        selector: ([from, to]) => `${from}>${to}`,
      }),
      order: fc.shuffledSubarray(list(size), { minLength: size, maxLength: size }),
    })
    .map(({ ops, edges, order }) => ({
      graph: graph(ops.join(''), ...edges.map(([from, to]) => `${from}>${to}`)),
      order,
    })),
)

/** Tests by brute force whether a renaming turns one graph into the other. */
function isSame(one: Graph, other: Graph): boolean {
  const target = new Set(other.edges.map(({ from, to }) => `${from}>${to}`))
  const assign = (mapped: number[]): boolean => {
    if (mapped.length === one.nodes.length) {
      return one.edges.every(({ from, to }) => target.has(`${mapped[Number(from)]}>${mapped[Number(to)]}`))
    }
    return list(other.nodes.length).some(
      (place) =>
        !mapped.includes(place) &&
        other.nodes[place]?.op === one.nodes[mapped.length]?.op &&
        assign([...mapped, place]),
    )
  }
  return one.nodes.length === other.nodes.length && one.edges.length === target.size && assign([])
}

describe('the digest of a graph structure', () => {
  it('does not depend on ids or order', () => {
    fc.assert(
      fc.property(someGraph, ({ graph, order }) => {
        expect(digestStructure(disguise(graph, order))).toBe(digestStructure(graph))
      }),
      { numRuns: countRuns(500) },
    )
  })

  it('differs for any two different graphs of five nodes', () => {
    const small = fc.integer({ min: 0, max: 2 ** 20 - 1 }).map((bits) => {
      const pairs = list(5).flatMap((from) => list(5).flatMap((to) => (from === to ? [] : [`${from}>${to}`])))
      return graph('aaaab', ...pairs.filter((_, place) => (bits >> place) % 2 === 1))
    })
    fc.assert(
      fc.property(small, small, (one, other) => {
        expect(digestStructure(one) === digestStructure(other)).toBe(isSame(one, other))
      }),
      { numRuns: countRuns(300) },
    )
  })

  it('distinguishes graphs that look alike locally: one ring of eight and two of four', () => {
    const rings = (...sizes: number[]) => {
      const edges: string[] = []
      let first = 0
      for (const size of sizes) {
        for (const place of list(size)) {
          const here = first + place
          const next = first + ((place + 1) % size)
          edges.push(place % 2 === 0 ? `${here}>${next}` : `${next}>${here}`)
        }
        first += size
      }
      return graph('a'.repeat(first), ...edges)
    }
    expect(digestStructure(rings(8))).not.toBe(digestStructure(rings(4, 4)))
    expect(digestStructure(disguise(rings(4, 4), [7, 1, 5, 2, 0, 4, 3, 6]))).toBe(
      digestStructure(rings(4, 4)),
    )
  })

  it('includes the kind and the direction of edges', () => {
    const names = [
      graph('aab', '0>1', '1>2'),
      graph('aab', '1>0', '1>2'),
      graph('aab'),
      graph('aba', '0>1', '1>2'),
      { ...graph('aab'), edges: graph('aab', '0>1', '1>2').edges.map((edge) => ({ ...edge, kind: 'data' })) },
    ].map(digestStructure)
    expect(new Set(names).size).toBe(names.length)
  })

  it.each([
    ['two hundred equal nodes', graph('a'.repeat(200))],
    [
      'two layers, each node with each',
      graph('a'.repeat(60), ...list(900).map((n) => `${Math.floor(n / 30)}>${30 + (n % 30)}`)),
    ],
    ['a thousand in a row', graph('a'.repeat(1_000), ...list(999).map((n) => `${n}>${n + 1}`))],
    [
      'many rings joined at one node',
      graph(
        'a'.repeat(121),
        ...list(120).flatMap((n) => [`${n}>${n % 4 === 3 ? n - 3 : n + 1}`, `120>${n}`]),
      ),
    ],
    ['thousands of nodes', graph('a'.repeat(isLongRun ? 100_000 : 20_000))],
  ])('of %s is computed in bounded time, in any order', (_, input) => {
    const order = input.nodes.map((_, place) => (place * 7_919) % input.nodes.length)
    const shuffled =
      new Set(order).size === order.length ? order : order.map((_, place) => order.length - 1 - place)
    expect(digestStructure(disguise(input, shuffled))).toBe(digestStructure(input))
  })
})
