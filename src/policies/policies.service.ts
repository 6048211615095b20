import type { Database } from '../db/connection.ts'
import type { RecordType } from '../db/schema.ts'
import type { Policies } from '../domain/lifecycle/lifecycle.ts'
import type { Caller } from '../domain/trust/caller.ts'
import { requireFullTrust } from '../domain/trust/trust.ts'
import type { Clock } from '../kernel/clock.ts'
import { createBudgetsService } from './budgets.service.ts'
import { findPolicy, listPolicies, type PolicyRow, upsertPolicy } from './policies.queries.ts'
import type { Policy, PolicyChoice } from './policies.schemas.ts'

export type PoliciesService = ReturnType<typeof createPoliciesService>

/** Policies are cached for so long. A record may still get an old policy that another process has just replaced. */
const cacheForMs = 1_000

export function createPoliciesService({ db, clock }: { db: Database; clock: Clock }) {
  let changes = 0
  let known: { at: number; policies: Policies } | undefined

  return {
    budgets: createBudgetsService({ db }),

    /** The policy of every type. Cached for a second, so that a create needs no query for it. */
    async getAll(db: Database): Promise<Policies> {
      const now = clock.now().getTime()
      if (!known || Math.abs(now - known.at) >= cacheForMs) {
        const before = changes
        const policies = groupByType(await listPolicies(db))
        // If a change was written during the read, the result may be the old policies, so it is not cached.
        if (changes === before) known = { at: now, policies }
        return policies
      }
      return known.policies
    },

    async list(): Promise<{ items: Policy[] }> {
      return { items: (await listPolicies(db)).map(present) }
    },

    async read(type: RecordType): Promise<Policy> {
      return present(await findPolicy(db, type))
    },

    /** Applies to new records only. Existing records keep their lifecycle. */
    async replace(
      caller: Caller,
      type: RecordType,
      { decay, deletion_policy }: PolicyChoice,
    ): Promise<Policy> {
      requireFullTrust(caller)
      const row = { type, deletion_policy, ...decay }
      await upsertPolicy(db, row)
      changes += 1
      known = undefined
      return present(row)
    },
  }
}

/** Every type has a policy: the first migration creates them, and no statement deletes one. */
function groupByType(rows: readonly PolicyRow[]): Policies {
  const policies = rows.map(({ type, deletion_policy, ...decay }) => [type, { decay, deletion_policy }])
  return Object.fromEntries(policies) as Policies
}

function present({ type, deletion_policy, ...decay }: PolicyRow): Policy {
  return { type, decay, deletion_policy }
}
