import { reinforce } from '../../domain/lifecycle/reinforcement.ts'
import type { SemanticPayload } from '../../domain/payloads/payloads.ts'
import { addSources } from '../../domain/payloads/sources.ts'
import type { Provenance } from '../provenance.schemas.ts'
import type { ContentRow, RecordRow, StoredRecord } from '../stored-record.ts'

export type Confirmation = {
  evidence: SemanticPayload['evidence']
  source: Provenance['sources'][number]
}

/** A captured event states a fact again: the fact gets one more source, and its salience is reinforced. */
export function confirmFact(
  stored: StoredRecord,
  payload: SemanticPayload,
  { evidence, source }: Confirmation,
  now: Date,
): { record: Partial<Omit<RecordRow, 'status'>>; content: Partial<ContentRow> } {
  const { provenance } = stored
  const { created_by: author } = source
  const isAnother = author !== undefined && !listAuthors(provenance).has(author)
  return {
    record: {
      ...reinforce(stored, now),
      ...(isAnother ? { confirmation_count: stored.confirmation_count + 1 } : {}),
    },
    content: {
      payload: { ...payload, evidence: addSources(payload.evidence, evidence) },
      provenance: { ...provenance, sources: addSources(provenance.sources, [source]) },
    },
  }
}

export function listAuthors({ created_by: first, sources }: Provenance): Set<string | undefined> {
  return new Set([first, ...sources.map(({ created_by: author }) => author)])
}
