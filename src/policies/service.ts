import type { Database } from '../db/connection.ts'
import type { RecordType } from '../db/schema.ts'
import type { Call } from '../db/transaction.ts'
import type { Clock } from '../kernel/clock.ts'
import { requireFullTrust } from '../kernel/trust.ts'
import { findPolicy, listPolicies, type PolicyRow, upsertPolicy } from './queries.ts'
import type { Policy, PolicyChoice } from './schemas.ts'

export type PoliciesService = ReturnType<typeof createPoliciesService>

/** What is born within this of a change elsewhere may still get the profile of before. */
const freshMs = 1_000

export function createPoliciesService({ db, clock }: { db: Database; clock: Clock }) {
  let known: { at: number; policies: readonly Policy[] } | undefined

  return {
    /** Of every type, for those who make records by the thousand: read once a second. */
    async recall(tx: Database): Promise<readonly Policy[]> {
      const now = clock.now().getTime()
      if (!known || Math.abs(now - known.at) >= freshMs) {
        known = { at: now, policies: (await listPolicies(tx)).map(present) }
      }
      return known.policies
    },

    async list(call: Call): Promise<{ items: Policy[] }> {
      return { items: (await listPolicies(call.tx ?? db)).map(present) }
    },

    async read(call: Call, type: RecordType): Promise<Policy> {
      return present(await findPolicy(call.tx ?? db, type))
    },

    /** Holds for records born from now on; those that live keep the profile they were given. */
    async choose(call: Call, type: RecordType, { decay, deletion_policy }: PolicyChoice): Promise<Policy> {
      requireFullTrust(call.caller)
      const row = { type, deletion_policy, ...decay }
      await upsertPolicy(call.tx ?? db, row)
      known = undefined
      return present(row)
    },
  }
}

function present({ type, deletion_policy, ...decay }: PolicyRow): Policy {
  return { type, decay, deletion_policy }
}
