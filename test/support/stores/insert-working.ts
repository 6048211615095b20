import type { Database } from '../../../src/db/connection.ts'
import { createSeal } from '../../../src/domain/identity/tombstone-seal.ts'
import { insertRecords } from '../../../src/records/creation/record-creation.queries.ts'
import { draftRecord } from '../../../src/records/creation/record-draft.ts'
import { oneDayPolicies } from '../apps/one-day-policies.ts'
import { rootCaller } from '../apps/root-caller.ts'

const atOnce = 600

/** Inserts working records of the scope `team`, which need no vectors of their own. */
export async function insertWorkingRecords(
  db: Database,
  ids: readonly string[],
  sensitivityOf: (at: number) => 'low' | 'high' = () => 'low',
): Promise<void> {
  const drafts = ids.map((id, at) => {
    const payload = { kind: 'working', thread_id: 't', state: 'planning', context_summary: id } as const
    const context = {
      caller: rootCaller,
      now: new Date('2026-01-01'),
      id,
      defaultSensitivity: 'low' as const,
      policies: oneDayPolicies,
    }
    return draftRecord({ type: 'working', payload, sensitivity: sensitivityOf(at), scope: 'team' }, context)
  })
  for (let at = 0; at < drafts.length; at += atOnce)
    await insertRecords(db, drafts.slice(at, at + atOnce), {
      textLanguage: 'simple',
      seal: createSeal('a key'),
    })
}
