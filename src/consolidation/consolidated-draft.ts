import { createEdge } from '../domain/edges/edges.ts'
import type { Policies } from '../domain/lifecycle/lifecycle.ts'
import { maxTags } from '../domain/schemas/request-fields.ts'
import { createServiceCaller, presentScope } from '../domain/trust/caller.ts'
import { type Descent, type Draft, draftRecord, type NewRecord } from '../records/index.ts'
import type { Episode } from './episode.ts'

/** Drafts of records derived from episodes. */

type DraftOptions = {
  id: string
  /** The name of the stage in the audit log and the provenance. */
  actor: string
  now: Date
  runId: string
  episodes: readonly [Episode, ...Episode[]]
  policies: Policies
}

/** Returns the draft of a record with the scope, the sensitivity and the tags of its episodes. */
export function draftConsolidated(
  content: Pick<NewRecord, 'type' | 'payload' | 'provenance'>,
  { id, actor, now, runId, episodes, policies }: DraftOptions,
): Draft {
  const [{ scope, sensitivity }] = episodes
  const record: NewRecord = {
    ...content,
    ...presentScope(scope),
    sensitivity,
    confidence: Math.max(...episodes.map(({ confidence }) => confidence)),
    tags: [...new Set(['consolidated', ...episodes.flatMap(({ tags }) => tags)])].slice(0, maxTags),
    source_type: 'auto_extracted',
  }
  const draft = draftRecord(record, {
    caller: createServiceCaller(actor, 'auto_extracted'),
    now,
    id,
    defaultSensitivity: sensitivity,
    policies,
  })
  const edges = episodes.map((episode) => createEdge(id, 'derived_from', episode.id, now))
  const descents = episodes.map((episode) => createDescent(id, episode.id))
  return { ...draft, edges, descents, audit: { ...draft.audit, rationale: 'consolidated', run_id: runId } }
}

export function createDescent(id: string, episode: string): Descent {
  return { derived_id: id, source_id: episode, kind: 'consolidation', is_ground: true }
}
