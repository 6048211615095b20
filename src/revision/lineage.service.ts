import type { Database } from '../db/connection.ts'
import type { Caller } from '../domain/trust/caller.ts'
import { findRecordOrDeparture, parseLifecycleSnapshot } from '../records/index.ts'
import { findLineage } from './revision.queries.ts'
import type { Lineage } from './revision.schemas.ts'

/** A lineage is limited: people read it, and the answer is built in memory. */
const maxNodes = 10_000

/** For a deleted record, only its own node. */
export async function readLineage(db: Database, caller: Caller, id: string): Promise<Lineage> {
  const known = await findRecordOrDeparture(db, caller, id)
  if ('departed_at' in known) {
    const { type, created_at: createdAt, numbers } = known
    // The statement that deleted the record wrote these numbers from columns of these types.
    const { status } = parseLifecycleSnapshot(numbers as object)
    return { nodes: [{ id: known.id, type, status, created_at: createdAt.toISOString() }], edges: [] }
  }
  const { nodes, edges } = await findLineage(db, known.id, caller.trust, maxNodes)
  const dated = nodes.map((node) => ({ ...node, created_at: new Date(node.created_at).toISOString() }))
  return { nodes: dated, edges }
}
