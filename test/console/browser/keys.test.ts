import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import {
  createConsoleSetup,
  describeInBrowser,
  findAccessProblems,
  looks,
  watchErrors,
} from '../../support/browser.ts'
import { entity } from '../../support/requests/entity-requests.ts'
import { type Body, create, fact } from '../../support/requests/record-requests.ts'

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

describeInBrowser('keys in the console', () => {
  const setup = createConsoleSetup()

  beforeAll(async () => {
    await create(setup.app, fact({ scope: 'team-a' }))
    await create(setup.app, fact({ scope: 'team-b' }))
    await create(setup.app, fact({ scope: 'team-a', sensitivity: 'medium' }))
    await create(setup.app, entity('Orion', {}, { scope: 'team-a' }))
  })

  it('shows what each permission means beside it, on a narrow screen and a wide one', async () => {
    const page = await setup.open('/console/keys')
    await page.getByRole('checkbox', { name: 'admin' }).waitFor()
    for (const width of [360, 1_280]) await expectMeaningsBeside(page, width)
  })

  async function expectMeaningsBeside(page: Page, width: number) {
    await page.setViewportSize({ width, height: 900 })
    const places = await page.evaluate<{ left: number; isBeside: boolean }[]>(`
      Array.from(document.querySelectorAll('.boxes .note'), (note) => {
        const [own, label] = [note, note.previousElementSibling].map((part) => part.getBoundingClientRect())
        return { left: own.left, isBeside: own.left >= label.right && own.top < label.bottom }
      })`)
    expect(places.length).toBeGreaterThan(4)
    expect(new Set(places.map(({ left }) => left)).size).toBe(1)
    expect(places.every(({ isBeside }) => isBeside)).toBe(true)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  }

  async function createKey(
    page: Page,
    name: string,
    permissions: readonly string[],
    scope = '',
  ): Promise<string> {
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await page.getByRole('checkbox', { name: 'records:read' }).uncheck()
    for (const permission of permissions) await page.getByRole('checkbox', { name: permission }).check()
    await page.getByRole('textbox', { name: 'Scopes' }).fill(scope)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Key created' })
    const secret = (await dialog.locator('code').textContent()) ?? ''
    expect(await findAccessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
    return secret
  }

  it('are created with a secret that is shown once, and revoked', async () => {
    const page = await setup.open('/console/keys')
    const errors = watchErrors(page)
    const secret = await createKey(page, 'robot', ['records:read', 'records:write'], 'team-a\nteam-b\n')
    expect(secret).toMatch(/^mbk_/)
    await rowOf(page, 'robot').waitFor()
    expect(await page.content()).not.toContain(secret)
    const own = await setup.app.request('GET', '/v1/keys/self', { key: secret })
    expect(own.body).toMatchObject({
      name: 'robot',
      permissions: ['records:read', 'records:write'],
      scopes: ['team-a', 'team-b'],
      max_sensitivity: 'low',
      expires_at: null,
    })

    await rowOf(page, 'robot').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await rowOf(page, 'robot').waitFor({ state: 'detached' })
    expect((await setup.app.request('GET', '/v1/keys/self', { key: secret })).status).toBe(401)
    expect(errors).toEqual([])
  })

  it('are not created without a permission, and the page says why', async () => {
    const page = await setup.open('/console/keys')
    await page.getByRole('textbox', { name: 'Name' }).fill('useless')
    await page.getByRole('checkbox', { name: 'records:read' }).uncheck()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'permissions must' }).waitFor()
    const { items } = (await setup.app.request('GET', '/v1/keys')).body as Body
    expect(items.filter(({ name }: Body) => name === 'useless')).toEqual([])
  })

  it('show beforehand what they see, and then see just that', async () => {
    const page = await setup.open('/console/keys')
    const secret = await createKey(page, 'guest', ['records:read'], 'team-a')
    await rowOf(page, 'guest').getByRole('button', { name: 'As this key' }).click()
    const preview = page.getByRole('dialog', { name: 'As guest' })
    await preview.getByText('2 in full, 1 redacted, 1 hidden').waitFor()
    expect(await findAccessProblems(page)).toEqual([])

    const guest = await setup.open('/console/keys', { key: false })
    await guest.getByLabel('API key').fill(secret)
    await guest.getByRole('button', { name: 'Sign in' }).click()
    await guest.getByText('This key may not open this page').waitFor()
    const names = await guest.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents()
    expect(names).not.toContain('Keys')
    const { items } = (await setup.app.request('GET', '/v1/records', { key: secret })).body as Body
    expect(items.filter(({ redacted }: Body) => !redacted)).toHaveLength(2)
    expect(items.filter(({ redacted }: Body) => redacted)).toHaveLength(1)

    await guest.getByRole('link', { name: 'Entities' }).click()
    await guest.getByRole('link', { name: 'Orion' }).waitFor()
    expect(await guest.getByRole('button', { name: 'Merge' }).count()).toBe(0)
    await guest.getByRole('link', { name: 'Import' }).click()
    await guest.getByRole('button', { name: 'Export' }).waitFor()
    expect(await guest.getByRole('button', { name: 'Dry run' }).count()).toBe(0)
  })

  it('stay within the key that creates them', async () => {
    const admin = await setup.app.issueKey(['admin'], { scopes: ['team-a'], max_sensitivity: 'medium' })
    const page = await setup.open('/console/keys', { key: admin })
    await page.getByLabel('Reads up to').waitFor()
    const ceilings = await page.getByLabel('Reads up to').locator('option').allTextContents()
    expect(ceilings).toEqual(['public', 'low', 'medium'])
    expect(await page.getByRole('textbox', { name: 'Scopes' }).inputValue()).toBe('team-a')
  })

  it.each(looks)(
    'have no access problem in %s on %i pixels, nor have the metrics',
    async (colorScheme, width) => {
      await setup.app.issueKey(['admin'], { name: 'n'.repeat(256), scopes: ['s'.repeat(256)] })
      for (const [path, ready] of [
        ['/console/keys', 'Last used'],
        ['/console/metrics', 'Mean salience'],
      ] as const) {
        const page = await setup.open(path, { colorScheme, width })
        await page.getByText(ready).waitFor()
        expect(await findAccessProblems(page)).toEqual([])
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      }
    },
  )
})

describeInBrowser('metrics in the console', () => {
  const setup = createConsoleSetup()

  it('have a unit and a meaning, and a dash where there is nothing to measure', async () => {
    await create(setup.app, fact())
    const page = await setup.open('/console/metrics')
    await page.getByRole('heading', { name: 'Metrics', exact: true }).waitFor()
    const lines = page.locator('.figures > div')
    const textOf = (name: string) => lines.filter({ hasText: name }).first().textContent()
    expect(await textOf('Active')).toMatch(/1 record(?!s)/)
    expect(await textOf('Pinned')).toMatch(/0 records/)
    expect(await textOf('New in 24 hours')).toMatch(/100% of the records/)
    expect(await textOf('Used when served')).toMatch(/–/)
    await page.getByRole('img', { name: 'Records by type' }).waitFor()
  })
})
