import { beforeAll, expect, it } from 'vitest'
import {
  createConsoleSetup,
  describeInBrowser,
  findAccessProblems,
  watchErrors,
} from '../../support/browser.ts'
import { actWithReason, delayReads, fact, storeRecord } from '../../support/requests/console-requests.ts'

describeInBrowser('the list of records', () => {
  const setup = createConsoleSetup()
  const ids: string[] = []

  beforeAll(async () => {
    for (const [subject, object] of [
      ['Ana', 'green tea'],
      ['Ben', 'black coffee'],
      ['مارية', 'الشاي الأخضر'],
      ['<img src=x onerror=alert(1)>', '<script>document.title = 1</script>'],
      ['Donaudampfschifffahrtsgesellschaft'.repeat(8), 'green'],
    ])
      ids.push(await storeRecord(setup.app, fact(subject ?? '', 'prefers', object, { scope: 'team' })))
  })

  it('finds records by words, which are then in the address', async () => {
    const page = await setup.open('/console/records')
    await page.getByRole('link', { name: 'Ben prefers black coffee' }).waitFor()
    const field = page.getByRole('searchbox')
    await field.fill('tea')
    await field.press('Enter')
    await page.getByRole('link', { name: 'Ben prefers black coffee' }).waitFor({ state: 'detached' })
    await page.waitForURL((url) => url.searchParams.get('q') === 'tea')
    expect(await page.getByRole('link', { name: 'Ana prefers green tea' }).count()).toBe(1)

    await page.goBack()
    await page.getByRole('link', { name: 'Ben prefers black coffee' }).waitFor()
    expect(await field.inputValue()).toBe('')
  })

  it('shows the text of a record as text, whatever it contains', async () => {
    const page = await setup.open('/console/records')
    const errors = watchErrors(page)
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)> prefers <script>' }).click()
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect(errors).toEqual([])
  })

  it('masks a secret in the list and on the page of its record, until a person asks for it', async () => {
    const id = await storeRecord(setup.app, fact('vault', 'opens with', 'password=hunter2abc'))
    const page = await setup.open('/console/records')
    const link = page.getByRole('link', { name: 'vault opens with password=<secret string>' })
    await link.click()
    await page.waitForURL(`**/console/records/${id}`)
    await page.getByRole('heading', { name: 'vault opens with password=<secret string>' }).waitFor()
    await page.getByText('Payload as JSON').click()
    expect(await page.content()).not.toContain('hunter2abc')
    await page.getByRole('button', { name: 'Supersede', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Supersede' })
    const text = dialog.getByRole('textbox', { name: 'New text' })
    await expect.poll(() => text.inputValue()).toBe('password=hunter2abc')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Show secrets' }).click()
    await page.getByRole('heading', { name: 'vault opens with password=hunter2abc' }).waitFor()
    await page.getByRole('button', { name: 'Mask secrets' }).click()
    await page.getByRole('heading', { name: 'vault opens with password=<secret string>' }).waitFor()
    expect(await page.content()).not.toContain('hunter2abc')
  })

  it('cuts a text that runs from right to left at its end', async () => {
    const id = await storeRecord(setup.app, fact('مكتب طوكيو', 'يفضل', 'الشاي الأخضر مع النعناع. '.repeat(8)))
    const page = await setup.open('/console/records')
    const link = page.getByRole('link', { name: 'مكتب طوكيو يفضل' })
    await link.waitFor()
    const first = await page.evaluate<{ left: number; right: number }>(`(() => {
      const range = document.createRange()
      range.setStart(document.querySelector('a[href*="${id}"]').firstChild, 0)
      range.setEnd(range.startContainer, 1)
      return range.getBoundingClientRect().toJSON()
    })()`)
    const shown = await link.boundingBox()
    if (!shown) throw new Error('the link is not drawn')
    expect(first.right).toBeGreaterThan(first.left)
    expect(first.right).toBeLessThanOrEqual(shown.x + shown.width + 1)
  })

  it('cuts a long scope, so that the texts keep their room, and counts the tags that it leaves out', async () => {
    const tags = Array.from({ length: 9 }, (_, index) => `tag-${index}`)
    const more = { scope: `project:${'long-'.repeat(40)}`, tags }
    await storeRecord(setup.app, fact('Cleo', 'prefers', 'a tea with a long name', more))
    const page = await setup.open('/console/records?columns=type,status,salience,importance,scope,updated_at')
    const cell = page.getByRole('cell', { name: 'Cleo prefers a tea with a long name', exact: true })
    expect((await cell.boundingBox())?.width).toBeGreaterThan(300)
    await page.goto('/console/records?columns=tags')
    await page.getByRole('row', { name: /Cleo/ }).getByText('+5').waitFor()
  })

  it('pins, reinforces, forgets and restores what is selected, each with a reason', async () => {
    const page = await setup.open('/console/records?include_forgotten=true')
    const boxes = [/^Select Ana/, /^Select Ben/].map((name) => page.getByRole('checkbox', { name }))
    const select = async () => {
      for (const box of boxes) await box.check()
    }
    expect(await page.getByRole('button', { name: 'Forget', exact: true }).isDisabled()).toBe(true)
    for (const [action, notice] of [
      ['Pin', 'Pinned: 2 records.'],
      ['Reinforce', 'Reinforced: 2 records.'],
    ] as const) {
      await select()
      await actWithReason(page, action)
      await page.getByRole('status').getByText(notice).waitFor()
      await page.getByText('None selected').waitFor()
    }
    await expect.poll(() => page.locator('.tag', { hasText: 'pinned' }).count()).toBe(2)
    const { body } = await setup.app.request('GET', `/v1/records/${ids[0]}/audit`)
    expect(body).toMatchObject({
      items: [
        { action: 'create' },
        { action: 'pin', actor: 'root', rationale: 'a person decided so' },
        { action: 'reinforce', actor: 'root', rationale: 'a person decided so' },
      ],
    })

    // A pinned record is not forgotten with others: the refusal is told, and the dialog can be left.
    await boxes[0]?.check()
    await page.getByRole('button', { name: 'Forget', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Forget' })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('too old')
    await dialog.getByRole('button', { name: 'Forget', exact: true }).click()
    await dialog.getByRole('alert').filter({ hasText: 'pinned' }).waitFor()
    await page.keyboard.press('Escape')

    for (const id of ids.slice(0, 2))
      await setup.app.request('POST', `/v1/records/${id}/unpin`, { body: { actor: 'a', rationale: 'r' } })
    await page.reload()
    await select()
    await actWithReason(page, 'Forget')
    await page.getByRole('status').getByText('Forgotten: 2 records.').waitFor()
    expect((await setup.app.request('GET', `/v1/records/${ids[0]}`)).status).toBe(410)
    await select()
    await actWithReason(page, 'Restore')
    await page.getByRole('status').getByText('Restored: 2 records.').waitFor()
    expect((await setup.app.request('GET', `/v1/records/${ids[0]}`)).status).toBe(200)
  })

  it('offers no action while the list is loaded again, whose versions are old', async () => {
    await storeRecord(setup.app, fact('Kim', 'likes', 'tea', { scope: 'twice' }))
    const page = await setup.open('/console/records?scope=twice')
    const box = page.getByRole('checkbox', { name: /^Select Kim/ })
    await box.waitFor()
    await delayReads(page, '**/v1/records?*')
    for (const action of ['Reinforce', 'Pin']) {
      await box.check()
      await actWithReason(page, action)
    }
    await page.locator('.tag', { hasText: 'pinned' }).waitFor()
  })

  it('filters and chooses columns by the address, and says what to do when nothing matches', async () => {
    const page = await setup.open('/console/records?type=entity&columns=type,id')
    await page.getByText('No record matches').waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Remove the filter Type' }).click()
    await page.getByRole('columnheader', { name: 'Id' }).waitFor()
    expect(await page.getByRole('columnheader', { name: 'Salience' }).count()).toBe(0)
  })

  it('gives each filter its own room', async () => {
    const page = await setup.open('/console/records?scope=team')
    await page.getByLabel('Changed after').waitFor()
    const overlaps = await page.evaluate<number[]>(`(() => {
      const fields = [...document.querySelectorAll('.filters > *')]
      return fields
        .map((field) => [field, field.querySelector('input, select')])
        .map(([field, input]) => input.getBoundingClientRect().right - field.getBoundingClientRect().right)
        .filter((overlap) => overlap > 1)
    })()`)
    expect(overlaps).toEqual([])
  })

  it('leads through a long list by pages', async () => {
    const records = Array.from({ length: 60 }, (_, place) =>
      fact(`Item ${place}`, 'is', 'listed', { scope: 'many' }),
    )
    await setup.app.request('POST', '/v1/records/batch', { body: { records } })
    const page = await setup.open('/console/records?scope=many')
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByRole('button', { name: 'First page' }).and(page.locator(':enabled')).waitFor()
    await page.getByRole('row').nth(10).waitFor()
    await page.waitForURL((url) => url.searchParams.has('cursor'))
    const link = page.url()
    await page.reload()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await page.getByRole('button', { name: 'First page' }).and(page.locator(':disabled')).waitFor()
    expect(page.url()).not.toContain('cursor')
    // Without a scroll to the end of the list.
    const atTop = `document.querySelector('.pager').getBoundingClientRect().bottom <= innerHeight`
    expect(await page.evaluate(atTop)).toBe(true)
    const shared = await setup.open(link)
    await shared.getByRole('button', { name: 'Previous page' }).and(shared.locator(':disabled')).waitFor()
    await shared.getByRole('button', { name: 'First page' }).click()
    await shared.getByRole('button', { name: 'First page' }).and(shared.locator(':disabled')).waitFor()
  })

  it('leads back to the place in the list where a record was chosen', async () => {
    const page = await setup.open('/console/records?scope=many')
    await page.getByRole('row').nth(40).getByRole('link').click()
    await page.getByRole('heading', { name: 'Audit log' }).waitFor()
    expect(await page.evaluate('scrollY')).toBe(0)
    await delayReads(page, '**/v1/records?*')
    await page.goBack()
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(500)
  })

  it('fits a narrow screen in the dark, with long words and other scripts', async () => {
    const page = await setup.open('/console/records?scope=team', { colorScheme: 'dark', width: 360 })
    await page.getByRole('link', { name: 'Ana prefers green tea' }).waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    expect(await findAccessProblems(page)).toEqual([])
  })

  it('offers a key only what it may do', async () => {
    const key = await setup.app.issueKey(['records:read'], { name: 'reader' })
    const page = await setup.open('/console/records?scope=team', { key })
    await page.getByRole('link', { name: 'Ana prefers green tea' }).waitFor()
    for (const name of ['Pin', 'Reinforce', 'Forget', 'Restore'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
    expect(await page.getByRole('checkbox', { name: /^Select/ }).count()).toBe(0)

    const blind = await setup.app.issueKey(['maintenance:run'], { name: 'operator' })
    const other = await setup.open('/console/records', { key: blind })
    await other.getByText('it lacks').waitFor()
    expect(await other.getByRole('link', { name: 'Records', exact: true }).count()).toBe(0)
  })
})
