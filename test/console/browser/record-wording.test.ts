import { expect, it } from 'vitest'
import { createConsoleSetup, describeInBrowser } from '../../support/browser.ts'
import {
  actWithReason,
  changeExplanations,
  fact,
  storeRecord,
} from '../../support/requests/console-requests.ts'

describeInBrowser('what the page of a record says', () => {
  const setup = createConsoleSetup()

  it('offers on a record that is history no action that the service refuses, and says why', async () => {
    const id = await storeRecord(setup.app, fact('Ben', 'lives in', 'Bergen'))
    const page = await setup.open(`/console/records/${id}`)
    await actWithReason(page, 'Retract')
    await page.getByRole('heading', { name: 'Why hidden' }).waitFor()
    for (const action of ['Pin', 'Reinforce', 'Penalize', 'Supersede', 'Contest', 'Retract']) {
      const button = page.getByRole('button', { name: action, exact: true })
      expect(await button.isDisabled(), action).toBe(true)
      expect(await button.getAttribute('title'), action).toBe('The record is invalidated: it is history.')
    }
    for (const action of ['pin', 'reinforce', 'penalize']) {
      const body = { actor: 'tests', rationale: 'x', ...(action === 'penalize' ? { amount: 0.1 } : {}) }
      const answer = await setup.app.request('POST', `/v1/records/${id}/${action}`, { body })
      expect(answer, action).toMatchObject({ status: 409, body: { code: 'record_retracted' } })
    }
  })

  it('offers no revision of a task under way, which the service refuses', async () => {
    const payload = { kind: 'working', thread_id: 'release', state: 'planning' }
    const id = await storeRecord(setup.app, { type: 'working', payload })
    const page = await setup.open(`/console/records/${id}`)
    for (const action of ['Supersede', 'Contest', 'Retract'])
      await page.getByRole('button', { name: action, exact: true }).and(page.locator(':disabled')).waitFor()
    const body = { actor: 'tests', rationale: 'x' }
    const answer = await setup.app.request('POST', `/v1/records/${id}/retract`, { body })
    expect(answer).toMatchObject({ status: 409, body: { code: 'not_revisable' } })
  })

  it('says what to do when somebody else has changed the record', async () => {
    const note = { kind: 'semantic', subject: 'Ben', predicate: 'note', object: 'Ben keeps ducks.' }
    const id = await storeRecord(setup.app, { type: 'semantic', payload: note })
    const page = await setup.open(`/console/records/${id}`)
    await page.getByRole('button', { name: 'Supersede', exact: true }).click()
    const body = { actor: 'tests', rationale: 'x', amount: 0.1 }
    await setup.app.request('POST', `/v1/records/${id}/penalize`, { body })
    const dialog = page.getByRole('dialog', { name: 'Supersede' })
    await dialog.getByText('About Ben', { exact: true }).waitFor()
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('he sold them')
    await dialog.getByRole('button', { name: 'Supersede', exact: true }).click()
    await dialog.getByRole('alert').getByText('The record has changed.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('version 2').waitFor()
  })

  it('says of a duplicate that it repeats what was known, however unlike its other neighbours are', async () => {
    await storeRecord(setup.app, fact('Ana', 'prefers', 'black tea'))
    const twin = await storeRecord(setup.app, fact('Ana', 'prefers', 'black tea!'))
    const neighbours = [{ id: twin, similarity: 0.99 }]
    const surprise = { score: 0.99, delta: -0.3, base_before: 0.5, neighbours, duplicate_of: twin }
    const page = await setup.open('/console/records')
    await changeExplanations(page, { surprise })
    await page.getByRole('link', { name: 'Ana prefers black tea', exact: true }).click()
    await page.getByText('It repeats what was known.').waitFor()
    await page.getByText('It is a duplicate of').waitFor()
    const panel = page.getByRole('region', { name: 'Why surprising' })
    expect(await panel.locator('.panel-head').textContent()).toBe('Why surprisingduplicate')
  })

  it('says of a forgotten record what its salience was then, and before only where that differs', async () => {
    const id = await storeRecord(setup.app, fact('Eva', 'keeps', 'bees'))
    const path = `/v1/records/${id}?actor=tests&rationale=x`
    await setup.app.request('DELETE', path)
    const { body } = await setup.app.request('GET', `/v1/records/${id}/explain`)
    const { removal } = body as { removal: { numbers: object } }
    const page = await setup.open('/console/records?include_forgotten=true')
    for (const [base, text] of [
      [0.9, '0.40; it was 0.90 3 days before'],
      [0.4, '0.40'],
    ] as const) {
      const numbers = { ...removal.numbers, salience: 0.4, base_salience: base, elapsed_seconds: 259_200 }
      await changeExplanations(page, { removal: { ...removal, numbers } })
      await page.getByRole('link', { name: 'Eva keeps bees' }).click()
      await page.getByRole('definition').getByText(text, { exact: true }).waitFor()
      await page.goBack()
    }
  })

  it('says of a linear curve when nothing is left, which no half-life is', async () => {
    const decay = { curve: 'linear', half_life_seconds: 14_400 }
    const id = await storeRecord(setup.app, fact('Ana', 'packs', 'the bags', { lifecycle: { decay } }))
    const page = await setup.open(`/console/records/${id}`)
    await page
      .getByText('Salience 1.00 now, linear, to nothing in 4 hours. Half is left in 2 hours.')
      .waitFor()
    await page.getByRole('definition').getByText('linear, to nothing in 4 hours, gain').waitFor()
  })

  it('shows a payload of a megabyte by its beginning', async () => {
    const id = await storeRecord(setup.app, fact('the log', 'says', 'line of the log '.repeat(6_000)))
    const page = await setup.open(`/console/records/${id}`, { width: 360 })
    await page.getByRole('button', { name: /^Show all 96,000 characters$/ }).waitFor()
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
  })
})
