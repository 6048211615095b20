import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

/**
 * `npm run fuzz -- --seconds 300`. `--seed` repeats a run whose seed was printed, `--only` attacks the operations
 * whose names contain it, or with `mcp` and a name the tool.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})
const seed = values.seed ?? String(randomInt(2 ** 31))
process.stdout.write(
  `hostile requests for ${values.seconds} s: npm run fuzz -- --seconds ${values.seconds} --seed ${seed}\n`,
)
const { status } = spawnSync(
  'vitest',
  [
    'run',
    'test/fuzz/hostile-requests.test.ts',
    'test/fuzz/scoped-key-requests.test.ts',
    'test/fuzz/hostile-agents.test.ts',
  ],
  {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_SEED: seed, FUZZ_SECONDS: values.seconds, FUZZ_ONLY: values.only },
  },
)
process.exitCode = status ?? 1
