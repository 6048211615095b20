import { createSeal } from '../../../src/domain/identity/tombstone-seal.ts'
import { permissions } from '../../../src/domain/trust/caller.ts'
import { draftRecord } from '../../../src/records/creation/record-draft.ts'
import { insertRecords } from '../../../src/records/index.ts'
import { oneDayPolicies } from '../apps/one-day-policies.ts'
import type { WorkerSetup } from '../workers/worker-setup.ts'

const caller = {
  principal: 'root',
  name: 'root',
  permissions: new Set(permissions),
  sourceType: 'ai' as const,
  trust: { maxSensitivity: 'hyper' as const, scopes: null },
}

/** Inserts episodes that succeeded, one for each summary, without captures. */
export async function insertEpisodes(
  { clock, ids, db }: Pick<WorkerSetup, 'clock' | 'ids' | 'db'>,
  scope: string,
  summaries: readonly string[],
  more: object = {},
): Promise<void> {
  const now = clock.now()
  const drafts = summaries.map((summary) => {
    const timeline = [{ t: now.toISOString(), event_kind: 'deploy', ref: 'r', summary }]
    const payload = { kind: 'episodic' as const, timeline, outcome: 'success' as const, ...more }
    const context = {
      caller,
      now,
      id: ids.next(),
      defaultSensitivity: 'low' as const,
      policies: oneDayPolicies,
    }
    return draftRecord({ type: 'episodic', scope, payload }, context)
  })
  await insertRecords(db, drafts, { textLanguage: 'english', seal: createSeal(undefined) })
}
