import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import {
  createConsoleSetup,
  describeInBrowser,
  findAccessProblems,
  looks,
  measureLayoutShift,
  watchErrors,
} from '../../support/browser.ts'
import {
  actWithReason,
  changeExplanations,
  delayReads,
  fact,
  storeRecord,
} from '../../support/requests/console-requests.ts'

const curve = (page: Page) => page.getByRole('img', { name: 'Decay curve' })

describeInBrowser('the page of a record', () => {
  const setup = createConsoleSetup({
    variables: { MEMBRANE_TOMBSTONE_KEY: 'a-key-for-the-tests-of-erasure' },
  })
  let tea: string

  const read = async (id: string) =>
    (await setup.app.request('GET', `/v1/records/${id}?include_forgotten=true`)).body

  beforeAll(async () => {
    tea = await storeRecord(setup.app, fact('Ana', 'prefers', 'green tea', { layer: 'episodic' }))
  })

  it('says what the record is, why, and what a reinforcement makes of it that is dragged in the curve', async () => {
    const page = await setup.open('/console/records')
    const errors = watchErrors(page)
    await page.getByRole('link', { name: 'Ana prefers green tea' }).click()
    await page.getByRole('heading', { name: 'Ana prefers green tea' }).waitFor()
    await curve(page).waitFor()
    await page.getByRole('heading', { name: 'Why important' }).waitFor()
    await page.getByRole('heading', { name: 'Why surprising' }).waitFor()
    await page.waitForURL((url) => url.pathname === `/console/records/${tea}`)
    const copy = page.getByRole('button', { name: 'Copy the id' })
    expect([await copy.textContent(), await copy.locator('svg').count()]).toEqual(['', 1])
    const later = page.getByRole('slider', { name: 'Reinforce later' })
    await later.press('End')
    await page.getByText(/^Reinforced in .*: salience 0\.\d\d → 0\.\d\d/).waitFor()
    expect(await findAccessProblems(page)).toEqual([])

    await later.press('Home')
    const readPlace = async () => Number(await later.inputValue())
    expect(await readPlace()).toBeLessThan(50)
    await curve(page).scrollIntoViewIfNeeded()
    const box = await curve(page).boundingBox()
    if (!box) throw new Error('the curve is not drawn')
    await page.mouse.move(box.x + box.width * 0.4, box.y + 100)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, box.y + 100, { steps: 3 })
    await page.mouse.up()
    await expect.poll(readPlace).toBeGreaterThan(50)
    expect(errors).toEqual([])
  })

  it('draws nothing that jumps when more arrives', async () => {
    for (const path of [`/console/records/${tea}`, '/console']) {
      const page = await setup.open(path)
      await page.getByRole('img', { name: /Decay curve|Growth/ }).waitFor()
      await page.getByText(/Nothing is linked|No job has run/).waitFor()
      expect(await measureLayoutShift(page), path).toBe(0)
    }
  })

  it('keeps the focus on the action when its dialog is closed', async () => {
    const page = await setup.open(`/console/records/${tea}`)
    const button = page.getByRole('button', { name: 'Reinforce', exact: true })
    await button.press('Enter')
    await page.getByRole('dialog', { name: 'Reinforce' }).waitFor()
    const reload = page.waitForResponse((response) => response.url().includes(`/v1/records/${tea}`))
    await page.keyboard.press('Escape')
    await reload
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('[aria-disabled="true"]').first().waitFor({ state: 'detached' })
    await page.locator('button:focus', { hasText: 'Reinforce' }).waitFor()
  })

  it('promotes, demotes, pins, reinforces and penalizes with a reason', async () => {
    const page = await setup.open(`/console/records/${tea}`)
    await actWithReason(page, 'Promote')
    await page.getByText('semantic layer').waitFor()
    await actWithReason(page, 'Demote')
    await page.getByText('episodic layer').waitFor()
    await actWithReason(page, 'Pin')
    await actWithReason(page, 'Unpin')
    await actWithReason(page, 'Reinforce')
    await actWithReason(page, 'Penalize', 'it was of no use')
    await page.getByText('it was of no use').waitFor()
    const { body } = await setup.app.request('GET', `/v1/records/${tea}/audit`)
    const actions = (body as { items: { action: string }[] }).items.map(({ action }) => action)
    expect(actions).toEqual(['create', 'promote', 'demote', 'pin', 'unpin', 'reinforce', 'decay'])
  })

  it('offers no action while the last one is read back, which would name an old version', async () => {
    const id = await storeRecord(setup.app, fact('Ana', 'knows', 'Bergen'))
    const page = await setup.open(`/console/records/${id}`)
    await page.getByRole('button', { name: 'Pin', exact: true }).waitFor()
    await delayReads(page, `**/v1/records/${id}?*`)
    for (const action of ['Pin', 'Unpin', 'Reinforce', 'Penalize']) await actWithReason(page, action)
    const { body } = await setup.app.request('GET', `/v1/records/${id}/audit`)
    expect((body as { items: unknown[] }).items).toHaveLength(5)
  })

  it('forgets the record, says so, and restores it', async () => {
    const page = await setup.open(`/console/records/${tea}`)
    await actWithReason(page, 'Forget')
    await page.getByText('This record is forgotten').waitFor()
    expect(await page.getByRole('button', { name: 'Reinforce', exact: true }).count()).toBe(0)
    await page.reload()
    await page.getByRole('heading', { name: 'Why hidden' }).waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    await actWithReason(page, 'Restore')
    await page.getByRole('button', { name: 'Forget', exact: true }).waitFor()
    expect(await read(tea)).not.toHaveProperty('forgotten')
  })

  it('supersedes a fact and shows the difference', async () => {
    const id = await storeRecord(setup.app, fact('Ben', 'lives in', 'the old town of Bergen'))
    const page = await setup.open(`/console/records/${id}`)
    await page.getByRole('button', { name: 'Supersede', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Supersede' })
    await dialog.getByRole('textbox', { name: 'New text' }).fill('the new town of Bergen')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('he moved')
    await dialog.getByRole('button', { name: 'Supersede', exact: true }).click()
    await page.getByRole('heading', { name: 'Ben lives in the new town of Bergen' }).waitFor()
    await page.locator('del', { hasText: /^old$/ }).waitFor()
    await page.locator('ins', { hasText: /^new$/ }).waitFor()
    expect(await read(id)).toMatchObject({ status: 'superseded' })
  })

  it('contests a fact, ends the contest and retracts it', async () => {
    const id = await storeRecord(setup.app, fact('Mira', 'leads', 'the team'))
    const page = await setup.open(`/console/records/${id}`)
    await actWithReason(page, 'Contest', 'the chart says otherwise')
    expect(await read(id)).toMatchObject({ payload: { revision: { status: 'contested' } } })
    await actWithReason(page, 'End contest', 'the chart was an old one')
    expect(await read(id)).toMatchObject({ payload: { revision: { status: 'active' } } })
    await page.getByRole('button', { name: 'End contest', exact: true }).waitFor({ state: 'detached' })
    await actWithReason(page, 'Retract')
    await page.getByText('It was retracted or invalidated').waitFor()
    expect(await page.getByRole('button', { name: 'Supersede', exact: true }).isDisabled()).toBe(true)
  })

  it('erases only what was confirmed by typing', async () => {
    const id = await storeRecord(setup.app, fact('Ana', 'has the number', '4711'))
    const page = await setup.open(`/console/records/${id}`)
    await page.getByRole('button', { name: 'Erase', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Erase' })
    const button = dialog.getByRole('button', { name: 'Erase', exact: true })
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('she asked for it')
    expect(await button.isDisabled()).toBe(true)
    await dialog.getByRole('textbox', { name: 'Confirmation' }).fill('eras')
    expect(await button.isDisabled()).toBe(true)
    await dialog.getByRole('textbox', { name: 'Confirmation' }).fill('erase')
    await button.click()
    await page.getByRole('heading', { name: 'This record is gone' }).waitFor()
    expect((await setup.app.request('GET', `/v1/records/${id}`)).status).toBe(410)
  })

  it('reads an episode as a timeline and a plan as a graph', async () => {
    const at = '2026-03-01T10:00:00.000Z'
    const episode = await storeRecord(setup.app, {
      type: 'episodic',
      payload: {
        kind: 'episodic',
        timeline: [{ t: at, event_kind: 'message', ref: 'm1', summary: 'The build failed.' }],
      },
    })
    const page = await setup.open(`/console/records/${episode}`)
    await page.getByRole('listitem').filter({ hasText: 'The build failed.' }).waitFor()
    await page.getByRole('button', { name: 'Set outcome' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set outcome' })
    await dialog.getByRole('combobox', { name: 'Outcome' }).selectOption('failure')
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('seen in the log')
    await dialog.getByRole('button', { name: 'Set outcome' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await read(episode)).toMatchObject({ payload: { outcome: 'failure' } })

    const plan = await storeRecord(setup.app, {
      type: 'plan_graph',
      payload: {
        kind: 'plan_graph',
        plan_id: 'deploy',
        version: '1',
        intent: 'Deploy',
        nodes: ['build', 'test'].map((id) => ({ id, op: id })),
        edges: [{ from: 'build', to: 'test', kind: 'data' }],
      },
    })
    await page.goto(`/console/records/${plan}`)
    await page.getByRole('img', { name: 'Steps of the plan' }).waitFor()
    expect(await findAccessProblems(page)).toEqual([])
  })

  it('says of a surprising record with a near neighbour that it is mostly new, and lets its links be hit', async () => {
    const ids = await Promise.all(
      ['black', 'white', 'red', 'mint', 'iced'].map((kind) =>
        storeRecord(setup.app, fact('Ana', 'prefers', `${kind} tea with a name that takes several lines`)),
      ),
    )
    const neighbours = ids.map((id, index) => ({ id, similarity: 0.76 - index / 10 }))
    const surprise = { score: 1, delta: 0, base_before: 0.5, neighbours }
    const page = await setup.open('/console/records')
    await changeExplanations(page, { surprise })
    await page.getByRole('link', { name: 'Ana prefers green tea' }).click()
    await page.getByText('It is mostly new.').waitFor()
    const why = page.getByRole('region', { name: 'Why surprising' })
    await why.getByRole('link', { name: /iced tea/ }).waitFor()
    for (const [colorScheme, width] of looks) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      expect(await findAccessProblems(page), colorScheme).toEqual([])
    }
  })

  it('draws what is linked to the record', async () => {
    const other = await storeRecord(setup.app, fact('Ana', 'dislikes', 'coffee'))
    await setup.app.request('POST', `/v1/records/${tea}/relations`, {
      body: { predicate: 'related_to', target_id: other },
    })
    const page = await setup.open(`/console/records/${tea}`)
    await page.getByRole('img', { name: 'Relations of this record' }).waitFor()
    await page.getByRole('link', { name: 'Ana dislikes coffee' }).click()
    await page.getByRole('heading', { name: 'Ana dislikes coffee' }).waitFor()
  })

  it('offers a key only what it may do, and hides what it may not see', async () => {
    const key = await setup.app.issueKey(['records:read'], { name: 'reader' })
    const page = await setup.open(`/console/records/${tea}`, { key })
    await page.getByText('This key may only read.').waitFor()
    expect(await page.getByRole('group', { name: 'Actions' }).count()).toBe(0)

    const secret = await storeRecord(setup.app, fact('Ana', 'earns', 'much', { sensitivity: 'medium' }))
    await page.goto(`/console/records/${secret}`)
    await page.getByText('one level above what this key may see').waitFor()
    await page.goto('/console/records/0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11')
    await page.getByRole('alert').filter({ hasText: 'no record' }).waitFor()
  })
})
