import { workUntilKilled } from '../support/processes/killed-worker.ts'
import { buildExtractionOptions } from '../support/workers/extraction-options.ts'
import { createSmallConsolidation } from '../support/workers/small-consolidation.ts'

await workUntilKilled('consolidate', ({ endpoint, ...resources }) =>
  createSmallConsolidation({ ...resources, extraction: buildExtractionOptions(endpoint, resources.clock) }),
)
