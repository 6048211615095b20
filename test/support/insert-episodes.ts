import { permissions } from '../../src/domain/caller.ts'
import { createSeal } from '../../src/domain/tombstone-seal.ts'
import { insertRecords } from '../../src/records/index.ts'
import { draftRecord } from '../../src/records/record-draft.ts'
import type { Workshop } from './job-workers.ts'
import { oneDayPolicies } from './one-day-policies.ts'

const caller = {
  ...{ principal: 'root', name: 'root', permissions: new Set(permissions), sourceType: 'ai' as const },
  trust: { maxSensitivity: 'hyper' as const, scopes: null },
}

/** Episodes that went well, by the hundred, where no client captures them. */
export async function storeEpisodes(
  { clock, ids, db }: Workshop,
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
  await insertRecords(db, drafts, 'english', createSeal(undefined))
}
