import { createStructureHandle } from '../../domain/identity/handles.ts'
import { findGraphFaults } from '../../domain/procedures/graph-cycles.ts'
import { isJsonObject } from '../../kernel/json-objects.ts'
import { truncate } from '../../kernel/truncated-text.ts'
import type { Episode } from '../episode.ts'
import type { OutcomeCounts, Pattern, PracticeKind } from './practice-kind.ts'

/** A plan: the order of the operations, and how often it was executed. */

export const planKind: PracticeKind = {
  stage: 'plan_graph',
  type: 'plan_graph',
  actor: 'consolidation/plan-graph',
  figure: 'plan_graphs_extracted',
  minSuccesses: 1,
  countsField: 'metrics',
  read: readPlan,
  readCounts,
  writeCounts,
}

const minNodes = 3
/** A larger graph is the history of one task, and comparing it with others takes too long. */
const maxNodes = 500
const maxEdges = 5_000
const maxIntentLength = 1_000

type Call = Episode['payload']['tool_graph'][number]

function readPlan({ payload: { tool_graph: calls } }: Episode): Pattern | undefined {
  if (calls.length < minNodes || calls.length > maxNodes) return undefined
  const graph = buildGraph(calls)
  // A plan with a cycle cannot be executed.
  if (graph.edges.length > maxEdges || findGraphFaults(graph).length > 0) return undefined
  const handle = createStructureHandle(graph)
  return {
    handle,
    compose: ({ payload: { timeline, tool_graph: calls } }) => {
      const summary = timeline.find(({ summary }) => summary?.trim())?.summary
      return {
        kind: 'plan_graph',
        plan_id: `plan-${handle.digest.toString('hex')}`,
        version: '1',
        ...(summary === undefined ? {} : { intent: truncate(summary, maxIntentLength) }),
        ...buildGraph(calls),
      }
    },
  }
}

function buildGraph(calls: readonly Call[]) {
  const ids = nameNodes(calls)
  const nodes = calls.map(({ tool, args }, place) => ({
    id: ids[place] ?? '',
    op: tool,
    ...(args === undefined ? {} : { params: toParams(args) }),
  }))
  return { nodes, edges: listEdges(calls, ids) }
}

function toParams(args: unknown): Record<string, unknown> {
  return isJsonObject(args) ? args : { value: args }
}

/** Returns the ids of the calls, with a number added to repeated ones. */
function nameNodes(calls: readonly Call[]): string[] {
  const taken = new Set<string>()
  return calls.map(({ id }, place) => {
    let name = id
    for (let nth = place; taken.has(name); nth++) name = `${truncate(id, 240)} (${nth})`
    taken.add(name)
    return name
  })
}

/** Returns each edge once. Dependencies on unknown calls are dropped; of calls with the same id the first is meant. */
function listEdges(calls: readonly Call[], ids: readonly string[]) {
  const known = new Set(calls.map(({ id }) => id))
  return calls.flatMap(({ depends_on: needed = [] }, place) =>
    [...new Set(needed)]
      .filter((id) => known.has(id))
      .map((from) => ({ from, to: ids[place] ?? '', kind: 'control' as const })),
  )
}

function readCounts(stored: unknown): OutcomeCounts {
  const {
    execution_count: uses = 0,
    failure_rate: rate = 0,
    last_executed_at: lastAt = null,
  } = (stored ?? {}) as { execution_count?: number; failure_rate?: number; last_executed_at?: string }
  const failures = Math.round(uses * rate)
  return { successes: uses - failures, failures, lastAt }
}

function writeCounts({ successes, failures, lastAt }: OutcomeCounts): object {
  const uses = successes + failures
  return {
    execution_count: uses,
    failure_rate: uses === 0 ? 0 : failures / uses,
    ...(lastAt === null ? {} : { last_executed_at: lastAt }),
  }
}
