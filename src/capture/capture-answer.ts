import { addInverses, type Edge } from '../domain/edges.ts'
import { type Draft, presentCreated, type WrittenRecord } from '../records/index.ts'
import type { RelationEdge } from '../relations/index.ts'
import type { Captured, DerivedFact } from './capture.schemas.ts'
import type { Setting } from './capture-context.ts'

type Settled = { fact?: DerivedFact; records: readonly WrittenRecord[]; edges: readonly Edge[] }

/** What was stored, as a read would answer it; the evidence itself first. */
export function presentCapture(
  { caller, now }: Setting,
  drafts: readonly Draft[],
  settled: Settled | undefined,
  primary?: WrittenRecord,
): Captured {
  const edges = addInverses([...drafts.flatMap((draft) => draft.edges), ...(settled?.edges ?? [])])
  const created = drafts.map((draft) => {
    const own = edges.filter(({ source_id: source }) => source === draft.row.id)
    return presentCreated(caller, draft, own, now)
  })
  const [first = primary] = primary ? [primary] : created
  if (!first) throw new Error('a capture has a primary record')
  return {
    primary_record: first,
    created_records: [...created, ...(settled?.records ?? [])],
    edges: edges.map(presentEdge),
    deduplicated: false,
    ...(settled?.fact ? { fact: settled.fact } : {}),
  }
}

function presentEdge(edge: Edge): RelationEdge {
  return { ...edge, created_at: edge.created_at.toISOString() }
}
