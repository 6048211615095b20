import { setImmediate as takeTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { bufferReport } from '../../../src/portability/import/report/report-buffer.ts'

const megabyte = 1_024 * 1_024

describe('the buffer of a report', () => {
  it.each([
    ['many lines of a few bytes', 60, 50_000],
    ['a few lines of many faults', megabyte, 60],
  ])(
    'asks for a report of %s until some megabytes wait, and for the rest when they are read',
    async (_, size, lines) => {
      let asked = 0
      async function* write() {
        for (; asked < lines; asked++) yield 'x'.repeat(size)
      }
      const report = bufferReport(write())
      report.read(0)
      for (let last = -1; last !== asked; ) {
        last = asked
        for (let turn = 0; turn < 100; turn++) await takeTurn()
      }
      expect(asked * size).toBeGreaterThanOrEqual(Math.min(lines * size, 7 * megabyte))
      expect(asked * size).toBeLessThan(10 * megabyte)
      let read = 0
      for await (const chunk of report) read += (chunk as Buffer).length
      expect(read).toBe(lines * size)
    },
  )
})
