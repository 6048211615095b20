import type { Clock } from '../../src/kernel/clock.ts'

export type TestClock = Clock & { advance(milliseconds: number): void }

/** Creates a clock that stands still until a test advances it. */
export function createTestClock(): TestClock {
  let now = Date.parse('2026-03-28T09:30:00.000Z')
  return {
    now: () => new Date(now),
    advance(milliseconds) {
      now += milliseconds
    },
  }
}
