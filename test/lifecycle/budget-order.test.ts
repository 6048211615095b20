import { expect, it } from 'vitest'
import { walkInBudgetOrder } from '../../src/lifecycle/decay/budget-order.service.ts'
import { shareWorkerSetup } from '../support/apps/shared-store.ts'
import { insertOverBudget } from '../support/stores/budget-store.ts'

const openSetup = shareWorkerSetup()

it('the order of a budget is that of the worth, also after whole portions of used records', async () => {
  const setup = await openSetup({ rows: 7, blocks: 1, shareFrom: 1_000_000 })
  await insertOverBudget(setup, { count: 12_000, max: 60 })
  // In the index these come first, and in the order after most of the others.
  await setup.pool.query('update records set access_count = 5 where importance < 0.7')
  const now = setup.clock.now()
  const order = { scope: 'a', now, revisedBefore: now, isInGrace: false, protect: [], hasBytes: false }
  const walk = async (bound: Parameters<typeof walkInBudgetOrder>[2]) => {
    const portions: number[][] = []
    for await (const portion of walkInBudgetOrder(setup.db, order, bound))
      portions.push(portion.map(({ keeping }) => keeping))
    return portions
  }
  const portions = await walk({ line: Number.POSITIVE_INFINITY })
  const { rows } = await setup.pool.query('select count(*)::int as count from records where not pinned')
  const values = portions.flat()
  expect(values).toHaveLength(rows[0].count)
  expect(values).toEqual(values.toSorted((one, other) => one - other))
  expect(portions.length).toBeGreaterThan(1)
  // A walk ends not far behind what is wanted of it.
  for (const size of [0, 100, 7_000]) {
    const first = (await walk({ size })).flat()
    expect(first.length).toBeLessThanOrEqual(2 * (size + 1))
    expect(first).toEqual(values.slice(0, Math.max(size + 1, first.length)))
    const line = values[size] ?? 0
    expect((await walk({ line })).flat()).toEqual(values.filter((keeping) => keeping <= line))
  }
})
