import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import {
  createConsoleSetup,
  describeInBrowser,
  findAccessProblems,
  looks,
  watchErrors,
} from '../../support/browser.ts'
import { create, fact, read } from '../../support/requests/record-requests.ts'
import { rootKey } from '../../support/test-app.ts'

const question = 'Which tea does Ada drink?'
const say = (subject: string, predicate: string, object: string, more: object = {}) =>
  fact({ payload: { kind: 'semantic', subject, predicate, object }, ...more })

describeInBrowser('recall', () => {
  const setup = createConsoleSetup()
  let tea = ''
  let old = ''

  beforeAll(async () => {
    const { app } = setup
    const spring = await create(app, say('water', 'comes from', 'a spring above the village'))
    const relations = [{ predicate: 'is_made_with', target_id: spring.id }]
    tea = (await create(app, say('Ada', 'drinks tea', '<b>Darjeeling</b> & milk', { relations }))).id
    await create(app, say('Ben', 'drinks', 'strong coffee', { scope: 'kitchen' }))
    old = (await create(app, say('Ada', 'drinks tea of the kind', 'Assam'))).id
    const reason = { actor: 'tests', rationale: 'it was never true' }
    await app.request('POST', `/v1/records/${old}/retract`, { body: reason })
  })

  async function ask(page: Page, text = question) {
    await page.getByLabel('Question').fill(text)
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Text for a prompt' }).waitFor()
    await answerOf(page).getByRole('listitem').first().waitFor()
    await page.locator('.bone').first().waitFor({ state: 'detached' })
  }
  const answerOf = (page: Page) => page.getByRole('region', { name: 'Answer', exact: true })

  it('says of a message when it was written, and not when it was stored', async () => {
    const at = '2025-03-04T10:00:00.000Z'
    await setup.app.request('POST', '/v1/conversations/kitchen/messages', {
      body: { messages: [{ role: 'user', content: 'The samovar is broken.', at }] },
    })
    const page = await setup.open('/console/recall')
    await ask(page, 'What about the samovar?')
    const first = answerOf(page).getByRole('listitem').first()
    expect(await first.getByRole('time').getAttribute('datetime')).toBe(at)
  })

  it('shows why a record is recalled, its neighbours and what was withheld, and counts no access', async () => {
    const { access_count } = await read(setup.app, tea)
    const page = await setup.open('/console/recall')
    const errors = watchErrors(page)
    await ask(page)
    await setup.app.services.access.flush()
    expect((await read(setup.app, tea)).access_count).toBe(access_count)
    const first = answerOf(page).getByRole('listitem').first()
    expect(await first.textContent()).toContain('Ada drinks tea <b>Darjeeling</b> & milk')
    expect(await first.textContent()).toMatch(/text 1\.000, rank 1/)
    expect(await first.textContent()).toMatch(/× 1\.\d{3} salience/)
    expect(await answerOf(page).textContent()).toMatch(/neighbour of .*is made with/)
    const withheld = page.getByRole('region', { name: 'Withheld' })
    await withheld.getByRole('link', { name: 'Ada drinks tea of the kind Assam' }).waitFor()
    expect(await withheld.textContent()).toContain('A revision took it back.')
    expect(await withheld.getByRole('button', { name: 'Reinforce' }).count()).toBe(0)
    expect(await page.getByRole('region', { name: 'Context', exact: true }).textContent()).toMatch(
      /\d+ tokens of 1,500/,
    )
    expect(await page.locator('main b', { hasText: 'Darjeeling' }).count()).toBe(0)
    await page.waitForURL((url) => url.searchParams.get('q') === question)
    expect(errors).toEqual([])
  })

  it('says that a newer statement took the score of an older one', async () => {
    const at = setup.app.clock.now().getTime() - 86_400_000
    const older = await create(
      setup.app,
      say('bundle limit', 'of the console is', '300 kB', {
        scope: 'raised',
        created_at: new Date(at).toISOString(),
      }),
    )
    const newer = { scope: 'raised', salience: 0.1, created_at: new Date(at + 60_000).toISOString() }
    await create(setup.app, say('bundle limit', 'of the console is said to be', '250 kB', newer))
    const page = await setup.open('/console/recall?q=What+is+the+bundle+limit?&scope=raised')
    const first = answerOf(page).getByRole('listitem').first()
    await first.getByText(/raised to the score of …[\da-f]{8}, which is older/).waitFor()
    expect(await first.textContent()).toContain('250 kB')
    expect(await first.getByRole('link', { name: `…${older.id.slice(-8)}` }).count()).toBe(1)
    expect(await findAccessProblems(page)).toEqual([])
  })

  it('asks again from its address, and leads to the record', async () => {
    const page = await setup.open(`/console/recall?q=${encodeURIComponent(question)}&scope=kitchen`)
    const link = answerOf(page).getByRole('link', { name: 'Ben drinks strong coffee' })
    await link.waitFor()
    expect(await page.getByLabel('Question').inputValue()).toBe(question)
    expect(await answerOf(page).textContent()).not.toContain('Darjeeling')
    await link.click()
    await page.waitForURL(/\/console\/records\/[\da-f-]{36}$/)
  })

  it('reinforces a right answer and penalizes a wrong one, with a reason', async () => {
    const page = await setup.open('/console/recall')
    await ask(page)
    const first = answerOf(page).getByRole('listitem').first()
    await first.getByRole('button', { name: 'Penalize' }).click()
    const dialog = page.getByRole('dialog', { name: 'Penalize' })
    await dialog.getByLabel('Amount').fill('0.4')
    await dialog.getByLabel('Reason').fill('it is not what was asked')
    expect(await findAccessProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Penalize' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('status').filter({ hasText: 'Penalized: salience 1.00 → 0.60' }).waitFor()

    await first.getByRole('button', { name: 'Reinforce' }).click()
    const other = page.getByRole('dialog', { name: 'Reinforce' })
    await other.getByLabel('Reason').fill('it answers after all')
    await other.getByRole('button', { name: 'Reinforce' }).click()
    await other.waitFor({ state: 'detached' })
    const { audit_log } = await read(setup.app, tea)
    expect(audit_log.slice(-2)).toMatchObject([
      { action: 'decay', rationale: 'it is not what was asked' },
      { action: 'reinforce', rationale: 'it answers after all' },
    ])
  })

  it('says where a missing record stands', async () => {
    const page = await setup.open(`/console/recall?q=${encodeURIComponent(question)}`)
    const missing = page.getByRole('region', { name: 'Is something missing?' })
    await missing.getByLabel('Record id or words of it').fill('coffee')
    await page.keyboard.press('Enter')
    await missing.getByText(/Rank \d+ for this question/).waitFor()
    await missing.getByLabel('Record id or words of it').fill(old)
    await page.keyboard.press('Enter')
    await missing.getByText('It matches, but is withheld.').waitFor()
  })

  it('asks about a past moment with the slider', async () => {
    setup.app.clock.advance(3_600_000)
    const page = await setup.open(`/console/recall?q=${encodeURIComponent(question)}`)
    await answerOf(page).getByRole('listitem').first().waitFor()
    const sent = page.waitForRequest((request) => request.postData()?.includes('as_of') === true)
    const slider = page.getByRole('slider', { name: /As of/ })
    await slider.focus()
    await page.keyboard.press('Home')
    await sent
    await page.waitForURL((url) => /^\d{4}-\d\d-\d\dT/.test(url.searchParams.get('as_of') ?? ''))
    await page.keyboard.press('End')
    await page.waitForURL((url) => !url.searchParams.has('as_of'))
  })

  it('copies the question as a command without the key', async () => {
    const page = await setup.open(`/console/recall?q=${encodeURIComponent("Ada's tea")}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await answerOf(page).getByRole('button', { name: 'Copy as curl' }).click()
    const command = await page.evaluate<string>('navigator.clipboard.readText()')
    expect(command).toContain('-H "Authorization: Bearer $MEMBRANE_API_KEY"')
    expect(command).toContain(`'${new URL(page.url()).origin}/v1/retrieve'`)
    expect(command).toContain("Ada'\\''s tea")
    expect(command).not.toContain(rootKey)
  })

  it('offers no feedback to a key that may only read', async () => {
    const key = await setup.app.issueKey(['records:read'])
    const page = await setup.open('/console/recall', { key })
    await ask(page)
    expect(await answerOf(page).getByRole('listitem').count()).toBeGreaterThan(1)
    expect(await page.getByRole('button', { name: /Reinforce|Penalize/ }).count()).toBe(0)
  })

  it('says what to do if nothing is found, and what failed', async () => {
    const page = await setup.open('/console/recall?q=zyxwv&scope=nowhere')
    await page.getByText('Nothing is recalled').waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await page.goto('/console/recall?q=tea&as_of=yesterday')
    await page.getByRole('alert').filter({ hasText: 'as_of must' }).first().waitFor()
    expect(await findAccessProblems(page)).toEqual([])
  })

  it.each(looks)('has no access problem in %s on %i pixels', async (colorScheme, width) => {
    const page = await setup.open('/console/recall', { colorScheme, width })
    await ask(page)
    expect(await findAccessProblems(page)).toEqual([])
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  })
})
