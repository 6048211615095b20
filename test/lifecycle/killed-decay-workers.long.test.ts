import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { runUntilKilled } from '../support/processes/run-until-killed.ts'
import { insertOverBudget, listLive, listRanks } from '../support/stores/budget-store.ts'
import { insertFadingRecords, readState } from '../support/stores/fading-records.ts'
import { openWorkerSetup } from '../support/workers/worker-setup.ts'

const hour = 3_600_000
const program = fileURLToPath(new URL('killed-decay-worker.ts', import.meta.url))

async function prepare() {
  const setup = await openWorkerSetup()
  onTestFinished(setup.close)
  await insertFadingRecords(setup, { count: 200, createdAt: setup.clock.now() })
  setup.clock.advance(31 * hour)
  return { setup, id: await setup.requestRun('decay') }
}

let undisturbed: { state: unknown[]; stats: unknown; progress: unknown }
beforeAll(async () => {
  const setup = await openWorkerSetup()
  await insertFadingRecords(setup, { count: 200, createdAt: setup.clock.now() })
  setup.clock.advance(31 * hour)
  const { stats, progress } = await setup.run('decay')
  undisturbed = { state: await readState(setup), stats, progress }
  await setup.close()
})

const kills = [
  { step: 'before batch', nth: 1 },
  { step: 'in batch', nth: 2 },
  { step: 'after batch', nth: 4 },
  { step: 'in batch', nth: 12 },
  { step: 'concluding', nth: 1 },
  { step: 'concluded', nth: 1 },
]

it.each(kills)('a decay worker killed $step $nth leaves work that the next worker finishes', async (kill) => {
  const { setup, id } = await prepare()
  await runUntilKilled(program, setup, setup.clock, kill)
  await setup.createWorker('successor').runJob('decay', new AbortController().signal)
  const { status, attempts, stats, progress } = await setup.readRun(id)
  expect({ status, attempts }).toEqual({ status: 'succeeded', attempts: kill.step === 'concluded' ? 1 : 2 })
  expect({ state: await readState(setup), stats, progress }).toEqual(undisturbed)
})

it('decay workers killed one after the other finish the run together', async () => {
  const { setup, id } = await prepare()
  for (const nth of [2, 4, 6, 8]) await runUntilKilled(program, setup, setup.clock, { step: 'in batch', nth })
  await setup.createWorker('successor').runJob('decay', new AbortController().signal)
  const { status, attempts, stats, progress } = await setup.readRun(id)
  expect({ status, attempts }).toEqual({ status: 'succeeded', attempts: 5 })
  expect({ state: await readState(setup), stats, progress }).toEqual(undisturbed)
})

const budgetKills = [
  { step: 'in batch', nth: 2 },
  { step: 'in batch', nth: 3 },
  { step: 'after batch', nth: 3 },
]

it.each(budgetKills)(
  'a worker killed $step $nth of a budget leaves it to the next worker, which holds it exactly',
  async (kill) => {
    const setup = await openWorkerSetup()
    onTestFinished(setup.close)
    await insertOverBudget(setup, { count: 150, max: 60 })
    const id = await setup.requestRun('decay')
    await runUntilKilled(program, setup, setup.clock, kill)
    await setup.createWorker('successor').runJob('decay', new AbortController().signal)
    expect(await setup.readRun(id)).toMatchObject({
      status: 'succeeded',
      attempts: 2,
      stats: { over_budget: 90 },
    })
    expect(await listLive(setup)).toHaveLength(60)
    expect(await listRanks(setup)).toEqual(Array.from({ length: 90 }, (_, index) => index + 1))
  },
)
