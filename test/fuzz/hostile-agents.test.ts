import { afterEach, beforeEach, expect, it } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { runMcpFuzz } from '../support/fuzz/run-mcp-fuzz.ts'
import { isLongRun } from '../support/long-run.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/** Takes the same variables as the other hostile requests. `only` is a part of `mcp` and the name of a tool. */
const seed = Number(process.env['FUZZ_SEED'] ?? 1)
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 0)
const only = process.env['FUZZ_ONLY'] ?? ''
const rounds = isLongRun ? 20 : 3

let app: TestApp
beforeEach(async () => {
  const variables = {
    MEMBRANE_TOMBSTONE_KEY: 'a key of the hostile tests',
  }
  app = await startTestApp({ variables, maxEventLoopDelayMs: Number.POSITIVE_INFINITY })
})
afterEach(() => app.close())

it.each([
  ['keys of every permission', false],
  ['keys of one scope and a low ceiling', true],
])(
  `hostile messages of seed ${seed} with %s get an error to act on, and change and show nothing they may not`,
  async (_, scoped) => {
    const { sent, accepted, findings } = await runMcpFuzz(app, {
      seed,
      rounds,
      seconds: seconds / 2,
      only,
      scoped,
    })
    process.stdout.write(
      `seed ${seed}: ${sent} hostile messages; accepted: ${[...accepted].map(([name, count]) => `${count}× ${name}`).join(', ')}\n`,
    )
    expect(findings.join('\n\n')).toBe('')
    if (only === '') expect(accepted.size).toBeGreaterThan(isLongRun ? 8 : 2)
    expect(await listBrokenLaws(app)).toEqual([])
  },
  (seconds + 180) * 1_000,
)
