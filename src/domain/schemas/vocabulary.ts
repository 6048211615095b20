import Type, { type Static } from 'typebox'
import { sensitivities, sourceTypes } from '../trust/caller.ts'

/** The closed vocabularies of a record. */

export const RecordType = Type.Enum(['episodic', 'working', 'entity', 'semantic', 'competence', 'plan_graph'])
export type RecordType = Static<typeof RecordType>
export const Sensitivity = Type.Enum([...sensitivities])
export const SourceType = Type.Enum([...sourceTypes])
export const Layer = Type.Enum(['working', 'episodic', 'semantic', 'procedural', 'codebase'])
export const MemoryKind = Type.Enum(['fact', 'procedure', 'narrative'])
export type MemoryKind = Static<typeof MemoryKind>
export const Status = Type.Enum(['active', 'challenged', 'invalidated', 'merged', 'superseded'])
export type Status = Static<typeof Status>

/**
 * Whether a revision or a merge replaced the record. Such a record stays readable, and neither fades nor changes.
 */
export function isHistory(status: Status): boolean {
  return status === 'invalidated' || status === 'superseded' || status === 'merged'
}
