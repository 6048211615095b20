import { writeSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

type Counts = { passed: number; failed: number; skipped: number }

const messageLimit = 300

/**
 * Ends a run with a line `FAILED <test>: <message>` for each failure and `N passed, N failed`, for programs and people
 * that see only the end. They are written when the process exits, because teardown and other reporters may write after
 * the run.
 */
export function createTestCountReporter(): Reporter {
  let counts: Counts | undefined
  let failures: string[] = []
  return {
    onInit() {
      process.once('exit', (code) => {
        const lines = [...failures, describe(countExitCode(counts, code))]
        writeSync(1, `${lines.join('\n')}\n`)
      })
    },
    onTestRunEnd(modules, unhandledErrors) {
      counts = count(modules, unhandledErrors.length)
      failures = [
        ...modules.flatMap(nameFailures),
        ...unhandledErrors.map((error) => nameFailure('outside of a test', error)),
      ]
    },
  }
}

function count(modules: readonly TestModule[], unhandledErrors: number): Counts {
  const counts: Counts = { passed: 0, failed: unhandledErrors, skipped: 0 }
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      // A test that did not finish has not passed.
      counts[state === 'pending' ? 'failed' : state]++
    }
    // A file that does not load and a suite whose hook throws have no failed test to count.
    for (const suite of [module, ...module.children.allSuites()]) counts.failed += suite.errors().length
  }
  return counts
}

function nameFailures(module: TestModule): string[] {
  const file = module.relativeModuleId
  const tests = [...module.children.allTests()].flatMap((test) => {
    const { state, errors } = test.result()
    return state === 'failed' || state === 'pending'
      ? [nameFailure(`${file} > ${test.fullName}`, errors?.[0])]
      : []
  })
  const suites = [module, ...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map((error) => nameFailure(file, error)),
  )
  return [...tests, ...suites]
}

function nameFailure(where: string, error: SerializedError | undefined): string {
  const [message = ''] = stripVTControlCharacters(error?.message ?? 'it did not finish').split('\n')
  return `FAILED ${where}: ${message.slice(0, messageLimit)}`
}

/** A run that exits with a failure must not be reported as a success, even when counting failed. */
function countExitCode(counts: Counts | undefined, exitCode: number): Counts {
  const known = counts ?? { passed: 0, failed: 0, skipped: 0 }
  return exitCode !== 0 && known.failed === 0 ? { ...known, failed: 1 } : known
}

function describe({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
