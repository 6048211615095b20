import { beforeAll, expect, it } from 'vitest'
import {
  createConsoleSetup,
  describeInBrowser,
  findAccessProblems,
  looks,
  watchErrors,
} from '../../support/browser.ts'
import { entity } from '../../support/requests/entity-requests.ts'
import { type Body, create, read } from '../../support/requests/record-requests.ts'

describeInBrowser('entities in the console', () => {
  const setup = createConsoleSetup()
  const ids: Record<string, string> = {}

  beforeAll(async () => {
    for (const [name, more] of [
      ['Billing', { aliases: ['Invoices'], summary: 'Charges customers.' }],
      ['Ledger', {}],
      ['The Ledger', {}],
      ['ל'.repeat(400), {}],
    ] as const)
      ids[name] = (await create(setup.app, entity(name, more, { scope: 'team-a' }))).id
    const billing = ids['Billing']
    const ledger = ids['The Ledger']
    await create(setup.app, {
      type: 'semantic',
      scope: 'team-a',
      payload: { kind: 'semantic', subject: 'Billing', predicate: 'writes_to', object: 'The Ledger' },
      relations: [
        { predicate: 'subject_entity', target_id: billing },
        { predicate: 'object_entity', target_id: ledger },
      ],
    })
  })

  it('are found by an alias, and show what they are connected with', async () => {
    const page = await setup.open('/console/entities')
    const errors = watchErrors(page)
    await page.getByRole('link', { name: 'Ledger', exact: true }).waitFor()
    const field = page.getByRole('searchbox', { name: 'Name' })
    await field.fill('invoices')
    await field.press('Enter')
    await page.getByRole('link', { name: 'Ledger', exact: true }).waitFor({ state: 'detached' })
    await page.waitForURL((url) => url.searchParams.get('q') === 'invoices')
    await page.getByRole('link', { name: 'Billing' }).click()
    await page.getByText('Charges customers.').waitFor()
    await page.getByRole('img', { name: 'Connections of Billing' }).waitFor()
    await page.getByText('As a table', { exact: true }).click()
    const table = page.getByRole('region', { name: 'Connections of Billing, as a table' })
    expect(await table.getByRole('cell').allTextContents()).toEqual(['Billing', 'writes to', 'The Ledger'])
    await expect.poll(() => page.getByRole('link', { name: 'Billing writes to The Ledger' }).count()).toBe(1)
    expect(errors).toEqual([])
  })

  it('are merged with a reason, and the merged one says into which', async () => {
    const page = await setup.open('/console/entities?q=ledger')
    await page.getByRole('checkbox', { name: 'Select Ledger' }).check()
    expect(await page.getByRole('button', { name: 'Merge' }).isDisabled()).toBe(true)
    await page.getByRole('checkbox', { name: 'Select The Ledger' }).check()
    await page.getByRole('button', { name: 'Merge' }).click()
    const dialog = page.getByRole('dialog', { name: 'Merge' })
    await dialog.getByLabel('Keep').selectOption(ids['Ledger'] ?? '')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('one service under two names')
    expect(await findAccessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Merge' }).click()
    await page.getByText('Merged 1 duplicate.').waitFor()
    await page.waitForURL(`/console/entities/${ids['Ledger']}`)
    await page.getByRole('link', { name: 'Billing writes to The Ledger' }).waitFor()

    const twin = await read(setup.app, ids['The Ledger'] ?? '')
    expect(twin.status).toBe('merged')
    const last = twin.audit_log.at(-1) as Body
    expect(last).toMatchObject({ actor: 'root', rationale: 'one service under two names' })
    const old = await setup.open(`/console/entities/${ids['The Ledger']}`)
    await old.getByRole('link', { name: 'its successor' }).click()
    await old.getByRole('heading', { name: 'Ledger', exact: true }).waitFor()
  })

  it('are proposed as duplicates by their name on the page of an entity', async () => {
    const twin = (await create(setup.app, entity('billing', {}, { scope: 'team-b' }))).id
    const page = await setup.open(`/console/entities/${twin}`)
    await page.getByRole('button', { name: 'Merge Billing' }).click()
    const dialog = page.getByRole('dialog', { name: 'Merge' })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('the same name')
    await dialog.getByRole('button', { name: 'Merge' }).click()
    // They are in different scopes.
    await dialog.getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it.each(looks)('have no access problem in %s on %i pixels', async (colorScheme, width) => {
    for (const [path, ready] of [
      ['/console/entities', 'Changed'],
      [`/console/entities/${ids['Billing']}`, 'As a table'],
    ] as const) {
      const page = await setup.open(path, { colorScheme, width })
      await page.getByText(ready, { exact: true }).waitFor()
      expect(await findAccessProblems(page)).toEqual([])
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
  })
})
