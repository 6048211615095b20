import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLogger } from '../../src/kernel/log.ts'
import { superviseChild } from '../../src/process/supervision/child.ts'
import { createTestClock } from '../support/clock.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const second = 1_000

/** Lets ten children live one after the other, or until one is given up. The pauses before each further one are in the log. */
async function superviseLives(live: (child: EventEmitter) => Promise<void>) {
  const lines: string[] = []
  const log = createLogger({
    level: 'error',
    clock: createTestClock(),
    write: (line) => void lines.push(line),
  })
  const launched: EventEmitter[] = []
  let reason: string | undefined
  superviseChild({
    role: 'worker',
    log,
    onMessage: () => {},
    onGiveUp: (given) => {
      reason = given
    },
    launch: () => {
      const child = new EventEmitter()
      launched.push(child)
      return child as ChildProcess
    },
  })
  for (let nth = 0; nth < 10 && reason === undefined; nth++) {
    const [child] = launched.splice(0)
    if (!child) throw new Error('no child was started')
    await live(child)
    child.emit('exit', 1, null)
    await vi.advanceTimersByTimeAsync(10 * second)
  }
  const restarts = lines.map((line) => JSON.parse(line)).map(({ early_ends, in_ms }) => [early_ends, in_ms])
  return { reason, restarts }
}

it('a child that fails before it is ready is given up, however long each start takes', async () => {
  const { reason, restarts } = await superviseLives(async () => {
    await vi.advanceTimersByTimeAsync(15 * second)
  })
  expect(reason).toBe(
    'the worker cannot run: it ended 3 times within 10 seconds after it was ready, or before, lastly with code 1',
  )
  expect(restarts).toEqual([
    [1, 500],
    [2, 1_000],
  ])
})

it('a child that fails soon after it was ready is given up, however long each start takes', async () => {
  const { reason } = await superviseLives(async (child) => {
    await vi.advanceTimersByTimeAsync(15 * second)
    child.emit('message', { working: true })
    await vi.advanceTimersByTimeAsync(9 * second)
  })
  expect(reason).toContain('it ended 3 times')
})

it('a child that has done its work for a while is always started again', async () => {
  const { reason, restarts } = await superviseLives(async (child) => {
    child.emit('message', { listening: 'http://127.0.0.1:8080' })
    await vi.advanceTimersByTimeAsync(11 * second)
  })
  expect(reason).toBeUndefined()
  expect(restarts).toEqual(Array(10).fill([0, 250]))
})
