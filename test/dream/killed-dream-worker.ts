import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import { defaultRetentionShape } from '../../src/domain/lifecycle/retention.ts'
import { createDream } from '../../src/dream/index.ts'
import { createImportanceRefresh } from '../../src/lifecycle/index.ts'
import { createPoliciesService } from '../../src/policies/index.ts'
import { workUntilKilled } from '../support/processes/killed-worker.ts'
import { buildExtractionOptions } from '../support/workers/extraction-options.ts'

const textLanguage = 'english'

await workUntilKilled('dream', ({ db, clock, ids, endpoint }) =>
  createDream({
    db,
    forgottenRetentionMs: 30 * 86_400_000,
    size: 20,
    refresh: createImportanceRefresh({ db, blocks: 1 }),
    retentionMode: 'huber',
    retentionShape: defaultRetentionShape,
    model: buildExtractionOptions(endpoint, clock),
    drift: { roots: [], textLanguage },
    writing: {
      ids,
      policies: createPoliciesService({ db, clock }),
      seal: createSeal(undefined),
      textLanguage,
    },
  }),
)
