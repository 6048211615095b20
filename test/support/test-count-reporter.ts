import { writeSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

type Counts = { passed: number; failed: number; skipped: number }

/**
 * Makes `N passed, N failed` the last line of a run, for programs that read only that line. It is written when the
 * process exits, because teardown and other reporters may write after the run.
 */
export function createTestCountReporter(): Reporter {
  let counts: Counts | undefined
  return {
    onInit() {
      process.once('exit', (code) => writeSync(1, `${describe(countExitCode(counts, code))}\n`))
    },
    onTestRunEnd(modules, unhandledErrors) {
      counts = count(modules, unhandledErrors.length)
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

/** A run that exits with a failure must not be reported as a success, even when counting failed. */
function countExitCode(counts: Counts | undefined, exitCode: number): Counts {
  const known = counts ?? { passed: 0, failed: 0, skipped: 0 }
  return exitCode !== 0 && known.failed === 0 ? { ...known, failed: 1 } : known
}

function describe({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
