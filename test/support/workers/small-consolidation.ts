import { createConsolidation } from '../../../src/consolidation/index.ts'
import type { Database } from '../../../src/db/connection.ts'
import { createSeal } from '../../../src/domain/identity/tombstone-seal.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { Ids } from '../../../src/kernel/ids.ts'
import { createPoliciesService } from '../../../src/policies/index.ts'

type Resources = Pick<Parameters<typeof createConsolidation>[0], 'extraction'> & {
  db: Database
  clock: Clock
  ids: Ids
}

/** The consolidation in batches of twenty episodes, which are compressed when they are a day old. */
export function createSmallConsolidation({ db, clock, ids, extraction }: Resources) {
  return createConsolidation({
    db,
    clock,
    ids,
    seal: createSeal(undefined),
    policies: createPoliciesService({ db, clock }),
    textLanguage: 'english',
    compressionAgeMs: 86_400_000,
    size: 20,
    extraction,
  })
}
