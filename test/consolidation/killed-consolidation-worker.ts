import { buildExtractionOptions } from '../support/extraction-options.ts'
import { workUntilKilled } from '../support/killed-worker.ts'
import { createSmallConsolidation } from '../support/small-consolidation.ts'

await workUntilKilled('consolidate', ({ endpoint, ...resources }) =>
  createSmallConsolidation({ ...resources, extraction: buildExtractionOptions(endpoint, resources.clock) }),
)
