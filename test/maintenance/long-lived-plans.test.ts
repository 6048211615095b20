import { expect, it, onTestFinished } from 'vitest'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { apply, listPlanChanges, plan, readPlan } from '../support/requests/plan-requests.ts'
import { create, fact } from '../support/requests/record-requests.ts'
import { goTo, purgeHistories } from '../support/stores/history-months.ts'
import { startTestApp } from '../support/test-app.ts'

const day = 86_400_000
const keeping = { historyRetentionMs: 100 * day }

it('a plan that can be applied for half a year is kept for that time, with the changes that were applied', async () => {
  const app = await startTestApp({ variables: { MEMBRANE_PLAN_RETENTION: '180d' } })
  onTestFinished(() => app.close())
  const lifecycle = { decay: { half_life_seconds: 3_600, curve: 'linear' }, deletion_policy: 'auto_prune' }
  const make = async (scope: string) => (await create(app, fact({ scope, lifecycle }))).id as string
  const first = await make('one')
  const second = await make('two')
  app.clock.advance(day)
  const prepared = await plan(app, 'decay')
  await purgeHistories(app, keeping)
  goTo(app, '2026-04-02')
  expect((await apply(app, prepared, { only: [first] })).stats).toMatchObject({ applied: 1 })
  goTo(app, '2026-08-20')
  await purgeHistories(app, keeping)
  expect(await readPlan(app, prepared)).toMatchObject({ id: prepared.id, status: 'ready' })
  expect((await listPlanChanges(app, prepared)).map(({ record_id: id }) => id).sort()).toEqual(
    [first, second].sort(),
  )
  expect((await apply(app, prepared)).stats).toMatchObject({ applied: 1 })
  expect(await listBrokenLaws(app)).toEqual([])
  goTo(app, '2027-03-01')
  await purgeHistories(app, keeping)
  expect((await app.request('GET', `/v1/maintenance/plans/${prepared.id}`)).status).toBe(404)
})
