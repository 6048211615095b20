import { beforeEach, expect, it } from 'vitest'
import type { JobWork } from '../../src/jobs/runs/runs.ts'
import { shareWorkerSetup } from '../support/apps/shared-store.ts'
import type { WorkerSetup } from '../support/workers/worker-setup.ts'

const idle = new AbortController().signal

const openSetup = shareWorkerSetup()
let setup: WorkerSetup
beforeEach(async () => {
  setup = await openSetup()
})

/** Loses workers one after the other, each of them after it has done some batches. */
async function loseWorkers(count: number, doBatches: JobWork['run']): Promise<void> {
  for (let nth = 1; nth <= count; nth++) {
    const worker = setup.createWorker(`worker ${nth}`, {
      jobWorks: {
        decay: {
          run: async (context) => {
            await doBatches(context)
            throw Object.assign(new Error('the server is gone'), { code: 'ECONNRESET' })
          },
        },
      },
    })
    await worker.runJob('decay', idle)
    setup.clock.advance(31_000)
  }
}

const finishing = { jobWorks: { decay: { run: async () => {} } } }

it('a run is finished when workers are lost in it again and again, each after it came further', async () => {
  const id = await setup.requestRun('decay')
  await loseWorkers(8, async ({ inBatch, setTotal }) => {
    await setTotal(10)
    await inBatch(async () => ({ done: 1 }))
  })
  await setup.createWorker('the last', finishing).runJob('decay', idle)
  expect(await setup.readRun(id)).toMatchObject({ status: 'succeeded', attempts: 9, progress: { done: 8 } })
})

it('a run is given up when the lost workers only repeated what was done before', async () => {
  const id = await setup.requestRun('decay')
  await loseWorkers(8, async ({ inBatch, setTotal }) => {
    await setTotal(2)
    for (let batch = 0; batch < 2; batch++) await inBatch(async () => ({ done: 1 }))
  })
  // The first one came further.
  expect(await setup.readRun(id)).toMatchObject({ status: 'failed', attempts: 6 })
})

it('a dry run, which begins again after each loss, is given up', async () => {
  const id = await setup.requestRun('decay', { dryRun: true })
  await loseWorkers(8, async ({ inBatch, setTotal }) => {
    await setTotal(10)
    await inBatch(async () => ({ done: 1 }))
  })
  expect(await setup.readRun(id)).toMatchObject({ status: 'failed', attempts: 5 })
})
