import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readArguments } from './script-arguments.ts'

const usage = `Usage: npm run fuzz -- [--seconds N] [--seed N] [--only NAME]

Sends hostile requests to every operation of the API and to every MCP tool.

  --seconds N   how long. Default: 60
  --seed N      repeats the run that printed this seed
  --only NAME   only the operations whose names contain it`

const { values } = readArguments(usage, {
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
