import type { Interpretation } from '../domain/interpretation.ts'

/** The ids that an interpretation refers to. They existed when it was made. */

type Target = { target_record_id?: string; target_entity_id?: string }

type Ids = { entities: string[]; records: string[] }

export function listReferencedIds({
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

function removeDuplicates(ids: readonly (string | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => id !== undefined))]
}
