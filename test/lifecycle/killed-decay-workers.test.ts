import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { openWorkshop, populate, readState, type Workshop } from '../support/job-workers.ts'
import { runToDeath } from '../support/run-until-killed.ts'

const hour = 3_600_000
const program = fileURLToPath(new URL('killed-decay-worker.ts', import.meta.url))

async function prepare() {
  const shop = await openWorkshop()
  onTestFinished(shop.close)
  await populate(shop, { count: 200, bornAt: shop.clock.now() })
  shop.clock.advance(31 * hour)
  return { shop, id: await shop.ask('decay') }
}

let undisturbed: { state: unknown[]; stats: unknown; progress: unknown }
beforeAll(async () => {
  const shop = await openWorkshop()
  await populate(shop, { count: 200, bornAt: shop.clock.now() })
  shop.clock.advance(31 * hour)
  const { stats, progress } = await shop.run('decay')
  undisturbed = { state: await readState(shop), stats, progress }
  await shop.close()
})

async function killAt(shop: Workshop, step: string, nth: number): Promise<void> {
  await runToDeath(shop.pool, [program, shop.url, shop.clock.now().toISOString(), step, String(nth)])
  shop.clock.advance(31_000)
}

const deaths = [
  { step: 'before batch', nth: 1 },
  { step: 'in batch', nth: 2 },
  { step: 'after batch', nth: 4 },
  { step: 'in batch', nth: 12 },
  { step: 'concluding', nth: 1 },
  { step: 'concluded', nth: 1 },
]

it.each(deaths)('a worker killed $step $nth leaves nothing that the next does not finish', async (death) => {
  const { shop, id } = await prepare()
  const { step, nth } = death
  await killAt(shop, step, nth)
  await shop.hire('successor').attend('decay', new AbortController().signal)
  const { status, attempts, stats, progress } = await shop.readRun(id)
  expect({ status, attempts }).toEqual({ status: 'succeeded', attempts: step === 'concluded' ? 1 : 2 })
  expect({ state: await readState(shop), stats, progress }).toEqual(undisturbed)
})

it('workers killed one after the other finish it together', async () => {
  const { shop, id } = await prepare()
  for (let nth = 1; nth <= 4; nth++) await killAt(shop, 'in batch', 2 * nth)
  await shop.hire('successor').attend('decay', new AbortController().signal)
  const { status, attempts, stats, progress } = await shop.readRun(id)
  expect({ status, attempts }).toEqual({ status: 'succeeded', attempts: 5 })
  expect({ state: await readState(shop), stats, progress }).toEqual(undisturbed)
})
