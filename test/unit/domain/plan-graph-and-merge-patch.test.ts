import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addInverses, findInverse } from '../../../src/domain/edges/edges.ts'
import { completePayload, type Payload } from '../../../src/domain/payloads/payloads.ts'
import { writeSearchableText } from '../../../src/domain/payloads/searchable-text.ts'
import { findGraphFaults } from '../../../src/domain/procedures/graph-cycles.ts'
import { mergePatch } from '../../../src/records/change/merge-patch.ts'

const graph = (edges: [string, string][], nodes = ['a', 'b', 'c']) => ({
  nodes: nodes.map((id) => ({ id })),
  edges: edges.map(([from, to]) => ({ from, to })),
})

describe('the check of a plan graph', () => {
  it('accepts an empty graph, a chain and a diamond', () => {
    expect(findGraphFaults(graph([], []))).toEqual([])
    expect(
      findGraphFaults(
        graph([
          ['a', 'b'],
          ['b', 'c'],
        ]),
      ),
    ).toEqual([])
    expect(
      findGraphFaults(
        graph(
          [
            ['a', 'b'],
            ['a', 'c'],
            ['b', 'd'],
            ['c', 'd'],
          ],
          ['a', 'b', 'c', 'd'],
        ),
      ),
    ).toEqual([])
  })

  it('names the edge that closes a cycle', () => {
    const [fault] = findGraphFaults(
      graph([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'a'],
      ]),
    )
    expect(fault).toEqual({ pointer: '/edges/2', message: 'the edge from c to a closes a cycle' })
    expect(findGraphFaults(graph([['b', 'b']]))[0]?.pointer).toBe('/edges/0')
  })

  it('names duplicate nodes and missing ends', () => {
    expect(findGraphFaults(graph([['a', 'x']], ['a', 'a'])).map((fault) => fault.pointer)).toEqual([
      '/nodes/1/id',
      '/edges/0/to',
    ])
  })

  it('does not recurse, so that a chain of any length is checked', () => {
    const nodes = Array.from({ length: 30_000 }, (_, index) => `n${index}`)
    const edges = nodes.slice(1).map((to, index): [string, string] => [`n${index}`, to])
    expect(findGraphFaults(graph(edges, nodes))).toEqual([])
    expect(findGraphFaults(graph([...edges, ['n29999', 'n0']], nodes))).toHaveLength(1)
  })

  it('accepts a graph exactly when it has a topological order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 12 }), (pairs) => {
        const nodes = ['0', '1', '2', '3', '4', '5']
        const edges = pairs.map(([from, to]): [string, string] => [`${from}`, `${to}`])
        let rest = nodes
        for (let before = -1; before !== rest.length; ) {
          before = rest.length
          rest = rest.filter((node) => edges.some(([from, to]) => to === node && rest.includes(from)))
        }
        expect(findGraphFaults(graph(edges, nodes)).length === 0).toBe(rest.length === 0)
      }),
    )
  })
})

describe('a merge patch', () => {
  it('merges objects, replaces other values and removes members with null', () => {
    expect(mergePatch({ a: 1, b: { c: 2, d: 3 } }, { a: [4], b: { c: null }, e: {} })).toEqual({
      a: [4],
      b: { d: 3 },
      e: {},
    })
    expect(mergePatch({ a: 1 }, 'text')).toBe('text')
    expect(mergePatch('text', { a: { b: null } })).toEqual({ a: {} })
  })

  it('does not modify its arguments', () => {
    const target = Object.freeze({ a: Object.freeze({ b: 1 }) })
    expect(mergePatch(target, { a: { b: 2 } })).toEqual({ a: { b: 2 } })
  })
})

describe('the completion of a payload', () => {
  it('adds the lists that were left out', () => {
    expect(completePayload({ kind: 'episodic' })).toEqual({
      kind: 'episodic',
      timeline: [],
      tool_graph: [],
      artifacts: [],
    })
    expect(completePayload({ kind: 'semantic', subject: 's', predicate: 'p', object: null })).toEqual({
      kind: 'semantic',
      subject: 's',
      predicate: 'p',
      object: null,
      validity: { mode: 'global' },
      evidence: [],
    })
  })

  it('writes aliases in their long form', () => {
    const entity = completePayload({
      kind: 'entity',
      canonical_name: 'Orion',
      primary_type: 'Project',
      aliases: ['orion', { value: 'O', kind: 'short' }],
    })
    expect(entity).toMatchObject({ aliases: [{ value: 'orion' }, { value: 'O', kind: 'short' }], types: [] })
  })
})

describe('the searchable text of a record', () => {
  const episode = (result: unknown): Payload => ({
    kind: 'episodic',
    timeline: [{ t: '2026-01-01T00:00:00Z', event_kind: 'deploy', ref: 'r1', summary: 'shipped it' }],
    tool_graph: [{ id: '1', tool: 'grep', result }],
    artifacts: [],
  })

  it('contains summaries, tools, nested results and tags', () => {
    const text = writeSearchableText(episode({ deep: [{ deeper: 'needle' }, 42] }), ['release'])
    for (const word of ['shipped it', 'grep', 'needle', '42', 'release']) expect(text).toContain(word)
  })

  it('stays within the limit of the index', () => {
    const text = writeSearchableText(
      episode(Array.from({ length: 100_000 }, (_, index) => `wörd${index}`)),
      [],
    )
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(256 * 1_024 + 3)
  })

  it('accepts values of any depth', () => {
    let value: unknown = 'core'
    for (let depth = 0; depth < 50_000; depth++) value = [value]
    expect(writeSearchableText(episode(value), [])).toContain('core')
  })
})

describe('inverse predicates', () => {
  it('are inverses of each other', () => {
    for (const predicate of ['mentions_entity', 'derived_from', 'derives', 'supersedes', 'superseded_by']) {
      expect(findInverse(findInverse(predicate) ?? '')).toBe(predicate)
    }
  })

  it('are written for known predicates only', () => {
    const edge = {
      source_id: 'a',
      predicate: 'supports',
      target_id: 'b',
      weight: 0.5,
      created_at: new Date(0),
    }
    expect(addInverses([edge])).toEqual([
      edge,
      { ...edge, source_id: 'b', target_id: 'a', predicate: 'supported_by' },
    ])
    expect(addInverses([{ ...edge, predicate: 'likes' }])).toHaveLength(1)
  })
})
