import { addInverses, type Edge } from '../domain/edges/edges.ts'
import { type Draft, presentCreated, type WrittenRecord } from '../records/index.ts'
import { presentEdge } from '../relations/index.ts'
import type { Captured, DerivedFact } from './capture.schemas.ts'
import type { CaptureContext } from './capture-context.ts'

type StoredFact = { fact?: DerivedFact; records: readonly WrittenRecord[]; edges: readonly Edge[] }

/**
 * Returns the response of a capture, in the form in which a read returns the same records. The primary record comes
 * first.
 */
export function formatCapture(
  { caller, now }: CaptureContext,
  drafts: readonly Draft[],
  storedFact: StoredFact | undefined,
  primary?: WrittenRecord,
): Captured {
  const edges = addInverses([...drafts.flatMap((draft) => draft.edges), ...(storedFact?.edges ?? [])])
  const created = drafts.map((draft) => {
    const own = edges.filter(({ source_id: source }) => source === draft.row.id)
    return presentCreated(caller, draft, own, now)
  })
  const [first = primary] = primary ? [primary] : created
  if (!first) throw new Error('a capture has a primary record')
  return {
    primary_record: first,
    created_records: [...created, ...(storedFact?.records ?? [])],
    edges: edges.map(presentEdge),
    deduplicated: false,
    ...(storedFact?.fact ? { fact: storedFact.fact } : {}),
  }
}
