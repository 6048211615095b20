import { beforeEach, expect, it } from 'vitest'
import { findDueJobs } from '../../src/maintenance/running/due-jobs.queries.ts'
import { shareWorkerSetup } from '../support/apps/shared-store.ts'
import { noIntervals } from '../support/workers/idle-jobs.ts'
import type { WorkerSetup } from '../support/workers/worker-setup.ts'

const hour = 3_600_000
const minute = 60_000
const idle = new AbortController().signal
const intervals = { ...noIntervals, decay: hour }

const openSetup = shareWorkerSetup()
let setup: WorkerSetup
beforeEach(async () => {
  setup = await openSetup()
})

async function due(): Promise<string[]> {
  const found = await findDueJobs(setup.db, { worker: 'one', now: setup.clock.now(), intervals })
  return found.map(({ job }) => job)
}
const attend = () => setup.createWorker('one', {}, intervals).runJob('decay', idle)

/** A worker whose clock was ahead starts a run and hangs in it until it is woken. */
async function leaveRun(ahead: number): Promise<{ id: string; wake(): Promise<unknown> }> {
  const id = await setup.requestRun('decay')
  setup.clock.advance(ahead)
  const gate = Promise.withResolvers<void>()
  const still = setup.createWorker('still', { jobWorks: { decay: { run: () => gate.promise } } })
  const attending = still.runJob('decay', idle)
  while ((await setup.readRun(id)).status !== 'running') {}
  setup.clock.advance(-ahead)
  const wake = () => {
    gate.resolve()
    return attending
  }
  return { id, wake }
}

it('a lease taken by a clock that was ahead is not awaited', async () => {
  const { id, wake } = await leaveRun(hour)
  expect(await due()).toContain('decay')
  await attend()
  expect(await setup.readRun(id)).toMatchObject({ status: 'succeeded', worker: 'one', attempts: 2 })
  await wake()
})

it('clocks may differ by minutes without one worker taking the lease of another', async () => {
  const { id, wake } = await leaveRun(5 * minute)
  await attend()
  expect(await setup.readRun(id)).toMatchObject({ status: 'running', worker: 'still', attempts: 1 })
  await wake()
})

it('a schedule delayed by a clock that was ahead runs at once, and then at its interval', async () => {
  await attend()
  setup.clock.advance(24 * hour)
  expect(await attend()).toBe(1)
  setup.clock.advance(-23 * hour)
  expect(await due()).toContain('decay')
  expect(await attend()).toBe(1)
  expect(await due()).not.toContain('decay')
  expect(await attend()).toBe(0)
  setup.clock.advance(hour)
  expect(await attend()).toBe(1)
})
