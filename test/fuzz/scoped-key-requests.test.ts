import { afterAll, beforeAll, expect, it } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { runFuzz } from '../support/fuzz/run-fuzz.ts'
import { operations } from '../support/http/openapi-operations.ts'
import { isLongRun } from '../support/long-run.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/** Takes the same variables as the other hostile requests, and runs after them. */
const seed = Number(process.env['FUZZ_SEED'] ?? 1)
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 0)
const only = process.env['FUZZ_ONLY'] ?? ''
const rounds = isLongRun ? 4 : 1

let app: TestApp
beforeAll(async () => {
  const variables = {
    MEMBRANE_TOMBSTONE_KEY: 'a key of the hostile tests',
    MEMBRANE_DRIFT_ROOTS: import.meta.dirname,
  }
  app = await startTestApp({ variables, maxEventLoopDelayMs: Number.POSITIVE_INFINITY })
})
afterAll(() => app.close())

it(
  `hostile requests of seed ${seed} with scoped keys change no record outside of their trust`,
  async () => {
    const { findings, statuses, trace } = await runFuzz(app, { seed, rounds, seconds, only, scoped: true })
    const described = findings.map(
      ({ number, fault, operation, attack, answer }) =>
        `${number}. ${operation}: ${fault}\n${attack}\n→ ${answer}`,
    )
    expect(described.join('\n\n')).toBe('')
    if (only === '') expect(statuses.size).toBe(operations.length)
    expect((await listBrokenLaws(app)).map(trace)).toEqual([])
  },
  (seconds + 120) * 1_000,
)
