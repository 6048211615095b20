import type { Interpretation } from '../../domain/interpretation.ts'
import { parseRecordId } from './names-in-content.ts'

/** The entities and records that the candidates of an interpretation lead to. */

export type Target = { target_record_id?: string; target_entity_id?: string }

type Ids = { entities: string[]; records: string[] }

/** Returns the ids that the candidates are resolved to. The records existed when the interpretation was made. */
export function listResolvedIds({
  mentions,
  relation_candidates: relations,
  reference_candidates: references,
}: Interpretation): Ids {
  const candidates = [...relations, ...references]
  const entities = [
    ...mentions.map((mention) => mention.canonical_entity_id),
    ...candidates.map((candidate) => candidate.target_entity_id),
  ]
  const records = candidates.map((candidate) => candidate.target_record_id)
  return { entities: removeDuplicates(entities), records: removeDuplicates(records) }
}

/**
 * Returns an id for each reference, in order: the id that it was resolved to, or else its own text if that is an id.
 */
export function parseReferenceIds({
  reference_candidates: references,
}: Interpretation): (string | undefined)[] {
  return references.map(({ ref, target_record_id: targetId }) => targetId ?? parseRecordId(ref))
}

/** Removes ids of records that no longer exist. A mention without its id is looked up by name again. */
export function dropMissingIds(
  interpretation: Interpretation,
  existing: { entities: ReadonlySet<string>; records: ReadonlySet<string> },
): Interpretation {
  const dropMissing = <C extends Target>({
    target_record_id: record,
    target_entity_id: entity,
    ...rest
  }: C) => {
    const target: Target = {
      ...(record !== undefined && existing.records.has(record) ? { target_record_id: record } : {}),
      ...(entity !== undefined && existing.entities.has(entity) ? { target_entity_id: entity } : {}),
    }
    return { ...rest, ...target, resolved: Object.keys(target).length > 0 }
  }
  return {
    ...interpretation,
    mentions: interpretation.mentions.map(({ canonical_entity_id: id, ...rest }) =>
      id !== undefined && existing.entities.has(id) ? { ...rest, canonical_entity_id: id } : rest,
    ),
    relation_candidates: interpretation.relation_candidates.map(dropMissing),
    reference_candidates: interpretation.reference_candidates.map(dropMissing),
  }
}

/** The id that each mention and each reference leads to, in their order. Undefined if none was found. */
type Resolution = {
  mentions: readonly (string | undefined)[]
  references: readonly (string | undefined)[]
}

/** Returns the interpretation with its targets. It is `resolved` if no candidate is left open. */
export function applyResolution(interpretation: Interpretation, resolution: Resolution): Interpretation {
  const mentions = interpretation.mentions.map((mention, index) => {
    const id = resolution.mentions[index]
    return id === undefined ? mention : { ...mention, canonical_entity_id: id }
  })
  const references = interpretation.reference_candidates.map((candidate, index) => {
    const id = resolution.references[index]
    return id === undefined ? candidate : { ...candidate, target_record_id: id, resolved: true }
  })
  const isResolved =
    mentions.every((mention) => mention.canonical_entity_id !== undefined) &&
    [...interpretation.relation_candidates, ...references].every((candidate) => candidate.resolved)
  return {
    ...interpretation,
    status: isResolved ? 'resolved' : 'tentative',
    mentions,
    reference_candidates: references,
  }
}

function removeDuplicates(ids: readonly (string | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => id !== undefined))]
}
