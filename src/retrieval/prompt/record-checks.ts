import { isWhole, type MemoryRecord } from '../../records/index.ts'
import type { RetrievedNode } from '../retrieval.schemas.ts'

/** Says what a record is, where that decides whether and how it stands in a prompt. */

/**
 * Whether the task of a thread was stored once more since, as over MCP. A more sensitive report has a record of its own, which does
 * not replace the other one.
 */
export function hasNewerState(
  record: MemoryRecord | undefined,
  records: ReadonlyMap<string, MemoryRecord>,
): boolean {
  if (record?.payload.kind !== 'working') return false
  const { payload, scope, sensitivity, updated_at: at, id } = record
  return [...records.values()].some(
    (other) =>
      other.payload.kind === 'working' &&
      other.payload.thread_id === payload.thread_id &&
      other.scope === scope &&
      other.sensitivity === sensitivity &&
      (other.updated_at > at || (other.updated_at === at && other.id > id)),
  )
}

/** Whether it is an entity of which only the name and the kind are known. */
export function isOnlyName(record: MemoryRecord | undefined): boolean {
  if (record?.payload.kind !== 'entity') return false
  const { summary, aliases, identifiers } = record.payload
  return summary === undefined && aliases.length + identifiers.length === 0
}

export function isMessage({ payload }: MemoryRecord): boolean {
  return payload.kind === 'episodic' && payload.conversation !== undefined
}

export function isContested(record: MemoryRecord | undefined): boolean {
  return record?.payload.kind === 'semantic' && record.payload.revision?.status === 'contested'
}

/** The records of an answer by their ids, without those that the caller sees redacted. */
export function mapWholeRecords(nodes: readonly RetrievedNode[]): Map<string, MemoryRecord> {
  return new Map(nodes.flatMap(({ record }) => (isWhole(record) ? [[record.id, record]] : [])))
}
