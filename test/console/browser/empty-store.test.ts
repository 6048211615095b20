import { expect, it } from 'vitest'
import { createConsoleSetup, describeInBrowser } from '../../support/browser.ts'

describeInBrowser('the console of an empty store', () => {
  const setup = createConsoleSetup()

  it('says how simulations and runs start, as far as the key may start them', async () => {
    const reader = await setup.app.issueKey(['records:read'])
    const page = await setup.open('/console/maintenance/simulations', { key: reader })
    await page.getByText('No simulations').waitFor()
    expect(await page.locator('main').textContent()).not.toContain('above')
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByText('Jobs run by their schedules.', { exact: true }).waitFor()

    const other = await setup.open('/console/maintenance/simulations')
    await other.getByText('Start one above.').waitFor()
    await other.getByRole('textbox', { name: 'Scope' }).waitFor()
  })

  it('offers the first page if the address names a page that does not exist', async () => {
    const page = await setup.open('/console/records?cursor=damaged&type=entity')
    await page.getByRole('button', { name: 'First page' }).click()
    await page.getByText('No record matches').waitFor()
    expect(new URL(page.url()).search).toBe('?type=entity')
  })

  it('names a wrong parameter without a sign before it', async () => {
    const page = await setup.open('/console/records?type=nothing')
    const problem = page.getByRole('alert').filter({ hasText: '·' })
    await problem.waitFor()
    expect(await problem.textContent()).toMatch(/· type must be/)
  })

  it('counts nothing by day', async () => {
    const page = await setup.open('/console/metrics')
    await page.getByRole('img', { name: 'Growth' }).waitFor()
    await page.getByText('most 0').waitFor()
  })
})
