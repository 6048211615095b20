import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import {
  createConsoleSetup,
  describeInBrowser,
  findAccessProblems,
  looks,
  watchErrors,
} from '../../support/browser.ts'
import { fact, storeRecord } from '../../support/requests/console-requests.ts'
import { rootKey } from '../../support/test-app.ts'

const readStored = (page: Page) =>
  page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]))

describeInBrowser('signing in', () => {
  const setup = createConsoleSetup()

  it('keeps a key in the tab once it has worked, and never in an address', async () => {
    const page = await setup.open('/console', { key: false })
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    for (const wrong of ['a-key-that-nobody-issued', 'ключ']) {
      await page.reload()
      await page.getByLabel('API key').fill(wrong)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').filter({ hasText: 'unknown, expired or revoked' }).waitFor()
    }
    expect(await readStored(page)).toBe('[{},{}]')
    expect(await findAccessProblems(page)).toEqual([])

    await page.getByLabel('API key').fill(rootKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
    expect(await readStored(page)).toBe(JSON.stringify([{ 'membrane.key': rootKey }, {}]))
    expect(addresses.filter((address) => address.includes(rootKey))).toEqual([])
  })

  it('opens the page of the address after the sign-in, and again after a reload', async () => {
    const page = await setup.open('/console/records?q=tea', { key: false })
    await page.getByLabel('API key').fill(rootKey)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Records', exact: true }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Records', exact: true }).waitFor()
    expect(page.url()).toMatch(/\/console\/records\?q=tea$/)
  })

  it('forgets the key and what its pages kept on the way out', async () => {
    const page = await setup.open('/console')
    await page.evaluate(() => sessionStorage.setItem('membrane.before a cursor', 'another cursor'))
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await readStored(page)).toBe('[{},{}]')
  })

  it('asks for another key when this one is revoked', async () => {
    const issued = await setup.app.request('POST', '/v1/keys', {
      body: { name: 'reader', permissions: ['records:read'] },
    })
    const { id, secret } = issued.body as { id: string; secret: string }
    const page = await setup.open('/console', { key: secret })
    await page.getByRole('img', { name: 'Records by type' }).waitFor()
    // Otherwise a request that is still under way could end the session before the click.
    await page.waitForLoadState('networkidle')
    await setup.app.request('DELETE', `/v1/keys/${id}`)
    await page.getByRole('link', { name: 'Records', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'no longer valid' }).waitFor()
    expect(await readStored(page)).toBe('[{},{}]')
  })

  it('asks for it in place of the dialog whose request was refused', async () => {
    const record = await storeRecord(setup.app, fact('Ana', 'prefers', 'green tea'))
    const { body } = await setup.app.request('POST', '/v1/keys', {
      body: { name: 'keeper', permissions: ['records:read', 'lifecycle:write'] },
    })
    const { id, secret } = body as { id: string; secret: string }
    const page = await setup.open(`/console/records/${record}`, { key: secret })
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    await page.getByRole('button', { name: 'Pin', exact: true }).click()
    await setup.app.request('DELETE', `/v1/keys/${id}`)
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('it is needed')
    await page.getByRole('dialog').getByRole('button', { name: 'Pin', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByLabel('API key').fill(rootKey)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
  })
})

describeInBrowser('a service without a key', () => {
  const setup = createConsoleSetup({ variables: { MEMBRANE_API_KEY: '' } })

  it('opens the console at once', async () => {
    const page = await setup.open('/console', { key: false })
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
  })
})

describeInBrowser('the frame of the console', () => {
  const setup = createConsoleSetup()

  beforeAll(async () => {
    for (const job of ['decay', 'consolidate', 'dream', 'compress', 'refresh_importance', 'embed']) {
      const { status, text } = await setup.app.request('POST', '/v1/maintenance/runs', { body: { job } })
      if (status >= 300) throw new Error(text)
    }
  })

  it('is left and entered by the keyboard alone', async () => {
    const page = await setup.open('/console')
    const errors = watchErrors(page)
    await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByRole('heading', { name: 'Records', exact: true }).waitFor()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('How present a record is now.').waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(errors).toEqual([])
  })

  it('is told that there is no page at an unknown address', async () => {
    const page = await setup.open('/console/nothing')
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    await page.getByRole('link', { name: 'Records' }).click()
    await page.getByRole('heading', { name: 'Records', exact: true }).waitFor()
  })

  it.each(looks)('has no access problem in %s on %i pixels', async (colorScheme, width) => {
    const page = await setup.open('/console', { colorScheme, width })
    await page.getByRole('img', { name: 'Records by type' }).waitFor()
    const runs = page.getByRole('region', { name: 'Queue and last runs' })
    await runs.getByRole('link').nth(5).waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  })
})
