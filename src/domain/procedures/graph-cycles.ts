import type { Fault } from '../../kernel/errors.ts'

type Graph = {
  nodes: readonly { id: string }[]
  edges: readonly { from: string; to: string }[]
}

/**
 * Checks that node ids are unique, that edges join known nodes and that there is no cycle. Each fault names the node
 * or edge.
 */
export function findGraphFaults(graph: Graph): Fault[] {
  const faults: Fault[] = []
  const known = new Set<string>()
  for (const [index, { id }] of graph.nodes.entries()) {
    if (known.has(id)) faults.push({ pointer: `/nodes/${index}/id`, message: `node ${id} occurs twice` })
    known.add(id)
  }
  for (const [index, edge] of graph.edges.entries()) {
    for (const end of ['from', 'to'] as const) {
      if (known.has(edge[end])) continue
      faults.push({ pointer: `/edges/${index}/${end}`, message: `node ${edge[end]} does not exist` })
    }
  }
  return faults.length > 0 ? faults : findCycle(graph)
}

/** Depth first, without recursion: a hostile chain of 100,000 nodes must not overflow the stack. */
function findCycle(graph: Graph): Fault[] {
  const outgoing = new Map<string, { to: string; index: number }[]>(graph.nodes.map(({ id }) => [id, []]))
  for (const [index, { from, to }] of graph.edges.entries()) outgoing.get(from)?.push({ to, index })
  const state = new Map<string, 'open' | 'done'>()
  for (const { id } of graph.nodes) {
    if (state.has(id)) continue
    const path = [{ id, next: 0 }]
    state.set(id, 'open')
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const edge = outgoing.get(step.id)?.[step.next++]
      if (!edge) {
        state.set(step.id, 'done')
        path.pop()
      } else if (state.get(edge.to) === 'open') {
        return [
          {
            pointer: `/edges/${edge.index}`,
            message: `the edge from ${step.id} to ${edge.to} closes a cycle`,
          },
        ]
      } else if (!state.has(edge.to)) {
        state.set(edge.to, 'open')
        path.push({ id: edge.to, next: 0 })
      }
    }
  }
  return []
}
