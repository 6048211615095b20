import { expect, it } from 'vitest'
import { walkInBudgetOrder } from '../../src/lifecycle/decay/budget-order.service.ts'
import { insertOverBudget } from '../support/budget-store.ts'
import { shareWorkerSetup } from '../support/shared-store.ts'

const openSetup = shareWorkerSetup()

it('the order of a budget is that of the worth, also after whole portions of used records', async () => {
  const setup = await openSetup({ rows: 7, blocks: 1, shareFrom: 1_000_000 })
  await insertOverBudget(setup, { count: 12_000, max: 60 })
  // In the index these come first, and in the order after most of the others.
  await setup.pool.query('update records set access_count = 5 where importance < 0.7')
  const now = setup.clock.now()
  const order = { scope: 'a', now, revisedBefore: now, isInGrace: false, protect: [], hasBytes: false }
  const portions: number[][] = []
  for await (const portion of walkInBudgetOrder(setup.db, order))
    portions.push(portion.map(({ keeping }) => keeping))
  const { rows } = await setup.pool.query('select count(*)::int as count from records where not pinned')
  const values = portions.flat()
  expect(values).toHaveLength(rows[0].count)
  expect(values).toEqual(values.toSorted((one, other) => one - other))
  expect(portions.length).toBeGreaterThan(1)
})
