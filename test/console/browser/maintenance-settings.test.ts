import { expect, it } from 'vitest'
import { createConsoleSetup, describeInBrowser, findAccessProblems } from '../../support/browser.ts'
import { type Body, create, fact } from '../../support/requests/record-requests.ts'
import { noIntervals } from '../../support/workers/idle-jobs.ts'
import { createWorkerFor } from '../../support/workers/worker-setup.ts'

describeInBrowser('the settings of the maintenance', () => {
  const setup = createConsoleSetup()

  const simulate = () =>
    createWorkerFor(setup.app, noIntervals).runJob('simulation', new AbortController().signal)

  it('sets the interval and the mode of a schedule', async () => {
    const page = await setup.open('/console/maintenance/schedules')
    await page.getByRole('button', { name: 'Change decay' }).click()
    const dialog = page.getByRole('dialog', { name: 'Schedule decay' })
    await dialog.getByLabel('Interval').fill('soon')
    await dialog.getByRole('button', { name: 'Schedule decay' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Interval').fill('15m')
    await dialog.getByLabel('Starts').selectOption('plan')
    await dialog.getByRole('button', { name: 'Schedule decay' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { items } = (await setup.app.request('GET', '/v1/maintenance/schedules')).body as Body
    expect(items[0]).toMatchObject({ job: 'decay', interval: '15m', mode: 'plan', enabled: true })
    await page.getByRole('row', { name: /decay 15m a plan/ }).waitFor()
  })

  it('previews the curve of a policy before it is saved', async () => {
    const page = await setup.open('/console/maintenance/policies')
    await page.getByRole('link', { name: 'working', exact: true }).click()
    await page
      .getByRole('img', { name: 'Decay curve of working, now and as changed' })
      .locator('canvas')
      .waitFor()
    const note = page.getByText(/is forgotten after/)
    const before = await note.textContent()
    await page.getByLabel('Half-life in days').fill('90')
    await expect.poll(() => note.textContent()).not.toBe(before)
    expect(await findAccessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('fade like this from now on').waitFor()
    const policy = (await setup.app.request('GET', '/v1/policies/working')).body
    expect(policy).toMatchObject({ decay: { half_life_seconds: 90 * 86_400 } })
  })

  it('sets a budget after a look at what it would have forgotten', async () => {
    await create(setup.app, fact({ scope: 'shed' }))
    setup.app.clock.advance(86_400_000)
    const page = await setup.open('/console/maintenance/policies')
    await page.getByRole('button', { name: 'New budget' }).click()
    await page.getByLabel('Scope', { exact: true }).fill('shed')
    await page.getByLabel('May hold', { exact: true }).fill('4')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('progressbar').waitFor()
    await simulate()
    await page.getByRole('img', { name: 'Simulated forgetting by limit in records' }).waitFor()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /shed 4 records soft/ }).waitFor()
    await page.getByRole('button', { name: 'Delete the budget of shed' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No scope has a budget').waitFor()
  })

  it('simulates other half-lives as a curve', async () => {
    const page = await setup.open('/console/maintenance/simulations')
    await page.getByLabel('Values').fill('1d, often')
    await page.getByRole('button', { name: 'Simulate' }).click()
    await page.getByRole('alert').filter({ hasText: '“often” is no time' }).waitFor()
    await page.getByLabel('Values').fill('1h 12h 3d')
    await page.getByLabel('Type').selectOption('semantic')
    await page.getByRole('button', { name: 'Simulate' }).click()
    await page.getByRole('heading', { name: 'Run of simulation' }).waitFor()
    await simulate()
    await page.getByRole('img', { name: 'Simulated forgetting by half-life' }).locator('canvas').waitFor()
    await page
      .getByRole('row', { name: /12 hours/ })
      .first()
      .waitFor()
    expect(await findAccessProblems(page)).toEqual([])
  })
})
