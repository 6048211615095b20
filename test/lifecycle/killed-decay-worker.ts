import { createDecay } from '../../src/lifecycle/index.ts'
import { workUntilKilled } from '../support/processes/killed-worker.ts'

const day = 86_400_000

await workUntilKilled('decay', ({ db }) =>
  createDecay({
    db,
    forgottenRetentionMs: 30 * day,
    revisedRetentionMs: 90 * day,
    sizes: { rows: 20, blocks: 1, shareFrom: 40 },
  }),
)
