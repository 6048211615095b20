import type { Database } from '../db/connection.ts'
import type { RecordType } from '../db/schema.ts'
import type { Call } from '../db/transaction.ts'
import { findPolicy, listPolicies, type PolicyRow, upsertPolicy } from './queries.ts'
import type { Policy, PolicyChoice } from './schemas.ts'

export type PoliciesService = ReturnType<typeof createPoliciesService>

export function createPoliciesService({ db }: { db: Database }) {
  return {
    async list(call: Call): Promise<{ items: Policy[] }> {
      return { items: (await listPolicies(call.tx ?? db)).map(present) }
    },

    async read(call: Call, type: RecordType): Promise<Policy> {
      return present(await findPolicy(call.tx ?? db, type))
    },

    /** Holds for records born from now on; those that live keep the profile they were given. */
    async choose(call: Call, type: RecordType, { decay, deletion_policy }: PolicyChoice): Promise<Policy> {
      const row = { type, deletion_policy, ...decay }
      await upsertPolicy(call.tx ?? db, row)
      return present(row)
    },
  }
}

function present({ type, deletion_policy, ...decay }: PolicyRow): Policy {
  return { type, decay, deletion_policy }
}
