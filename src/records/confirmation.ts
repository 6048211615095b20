import type { SemanticPayload } from '../domain/payloads.ts'
import { reinforce } from '../domain/reinforcement.ts'
import type { Provenance } from './records.schemas.ts'
import type { ContentRow, RecordRow, StoredRecord } from './stored-record.ts'

export type Testimony = {
  evidence: SemanticPayload['evidence']
  source: Provenance['sources'][number]
  teller: string | undefined
}

/** A fact told a thousand times keeps as many of its witnesses; the edges to the episodes keep the rest. */
const mostWitnesses = 1_000

/** A fact that is told again: it has one witness more, and it proved useful. */
export function confirmFact(
  stored: StoredRecord,
  payload: SemanticPayload,
  { evidence, source, teller }: Testimony,
  now: Date,
): { record: Partial<Omit<RecordRow, 'status'>>; content: Partial<ContentRow> } {
  const { provenance } = stored
  const isAnother = teller !== undefined && !tellersOf(provenance).has(teller)
  return {
    record: {
      ...reinforce(stored, now),
      ...(isAnother ? { confirmation_count: stored.confirmation_count + 1 } : {}),
    },
    content: {
      payload: { ...payload, evidence: withNewest(payload.evidence, evidence) },
      provenance: { ...provenance, sources: withNewest(provenance.sources, [source]) },
    },
  }
}

export function tellersOf({ created_by: first, sources }: Provenance): Set<string | undefined> {
  return new Set([first, ...sources.map(({ created_by: teller }) => teller)])
}

/** The first stays, because it says where the fact began. */
export function withNewest<T>(all: readonly T[], newest: readonly T[]): T[] {
  const [first, ...others] = [...all, ...newest]
  return first === undefined ? [] : [first, ...others.slice(1 - mostWitnesses)]
}
