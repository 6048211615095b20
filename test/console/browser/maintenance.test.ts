import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { JobName } from '../../../src/jobs/job-names.ts'
import {
  createConsoleSetup,
  describeInBrowser,
  findAccessProblems,
  looks,
  watchErrors,
} from '../../support/browser.ts'
import { plan, readPlan } from '../../support/requests/plan-requests.ts'
import { type Body, create, fact, read } from '../../support/requests/record-requests.ts'
import { rootKey } from '../../support/test-app.ts'
import { noIntervals } from '../../support/workers/idle-jobs.ts'
import { createWorkerFor } from '../../support/workers/worker-setup.ts'

const brief = { lifecycle: { decay: { curve: 'linear', half_life_seconds: 3_600 } } }
const day = 86_400_000

describeInBrowser('maintenance', () => {
  const setup = createConsoleSetup()

  const work = (job: JobName) =>
    createWorkerFor(setup.app, noIntervals).runJob(job, new AbortController().signal)

  /** Creates facts that have faded away when it returns. */
  async function createFaded(scope: string, objects: readonly string[]): Promise<string[]> {
    const payload = { kind: 'semantic', subject: 'Ada', predicate: 'likes' }
    const ids = await Promise.all(
      objects.map(
        async (object) =>
          (await create(setup.app, fact({ scope, ...brief, payload: { ...payload, object } }))).id,
      ),
    )
    setup.app.clock.advance(day)
    return ids
  }
  const readForgotten = async (id: string) =>
    ((await setup.app.request('GET', `/v1/records/${id}?include_forgotten=true`)).body as Body).forgotten

  async function choose(page: Page, scope: string, job = 'decay') {
    await page.getByRole('combobox', { name: 'Job' }).selectOption(job)
    await page.getByRole('textbox', { name: 'Scope' }).fill(scope)
  }
  const changes = (page: Page) => page.getByRole('table', { name: 'Changes of the plan' })
  const finished = (page: Page) => page.getByRole('status').getByText('succeeded').waitFor()

  it('plans a decay, applies what is chosen, and undoes it', async () => {
    const [going, staying] = await createFaded('study', ['<i>opera</i>', 'chess'])
    const page = await setup.open('/console/maintenance')
    const errors = watchErrors(page)
    await choose(page, 'study')
    await page.getByRole('button', { name: 'Plan' }).click()
    await page.getByRole('heading', { name: 'Plan of decay' }).waitFor()
    await work('decay')
    await changes(page).getByRole('link', { name: 'Ada likes <i>opera</i>' }).waitFor()
    expect(await changes(page).textContent()).toContain(going)
    expect(await changes(page).textContent()).toContain('The record would be forgotten')
    expect(await readForgotten(going ?? '')).toBeUndefined()
    expect(await findAccessProblems(page)).toEqual([])

    await page.getByRole('checkbox', { name: `prune ${staying}` }).uncheck()
    await page.getByText('All but 1 record').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('heading', { name: 'Run of decay' }).waitFor()
    await work('decay')
    await finished(page)
    expect(await readForgotten(going ?? '')).toMatchObject({ reason: 'pruned' })
    expect(await readForgotten(staying ?? '')).toBeUndefined()

    await page.getByRole('button', { name: 'Undo' }).click()
    const dialog = page.getByRole('dialog', { name: 'Undo' })
    await dialog.getByLabel('Reason').fill('the half-life was too short')
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: 'Run of undo' }).waitFor()
    await work('undo')
    await finished(page)
    await page.getByLabel('Counts of the run').getByText('undone').waitFor()
    expect(await readForgotten(going ?? '')).toBeUndefined()
    expect((await read(setup.app, going ?? '')).audit_log.at(-1)).toMatchObject({
      action: 'undo',
      actor: 'root',
      rationale: 'the half-life was too short',
    })
    expect(errors).toEqual([])
  })

  it('applies only one kind of change, or only ticked records', async () => {
    const [one, other] = await createFaded('attic', ['maps', 'globes'])
    const { id } = await plan(setup.app, 'decay', { scope: 'attic' })
    const page = await setup.open(`/console/maintenance/plans/${id}`)
    await changes(page).getByRole('link', { name: 'Ada likes maps' }).waitFor()
    await page.getByRole('checkbox', { name: 'prune (2)' }).uncheck()
    expect(await page.getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true)
    expect(await page.getByRole('checkbox', { name: `prune ${one}` }).isDisabled()).toBe(true)
    await page.getByRole('radio', { name: 'Only what is ticked' }).check()
    await page.getByRole('checkbox', { name: `prune ${other}` }).check()
    await page.reload()
    await page.getByText('Only 1 record').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('heading', { name: 'Run of decay' }).waitFor()
    await work('decay')
    await finished(page)
    expect(await readForgotten(one ?? '')).toBeUndefined()
    expect(await readForgotten(other ?? '')).toBeDefined()
    await page.getByRole('link', { name: 'the plan that it applies' }).click()
    await page
      .getByRole('region', { name: 'Runs of this plan' })
      .getByRole('button', { name: 'Undo' })
      .waitFor()
    expect((await readPlan(setup.app, { id })).status).not.toBe('failed')
  })

  it('follows a dry run with the key in a header, and shows what it would change', async () => {
    const [id] = await createFaded('cellar', ['wine'])
    const page = await setup.open('/console/maintenance')
    const addresses: string[] = []
    const followed: (string | undefined)[] = []
    page.on('request', (request) => {
      addresses.push(request.url())
      if (request.url().endsWith('/events')) followed.push(request.headers()['authorization'])
    })
    await choose(page, 'cellar')
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByRole('heading', { name: 'Dry run of decay' }).waitFor()
    await page.getByText('waits for a worker').waitFor()
    await work('decay')
    await finished(page)
    await page
      .getByRole('region', { name: 'What it would change' })
      .getByRole('link', { name: 'Ada likes wine' })
      .waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    expect(await readForgotten(id ?? '')).toBeUndefined()
    expect(followed).toEqual([`Bearer ${rootKey}`])
    expect(addresses.filter((address) => address.includes(rootKey))).toEqual([])
  })

  it('names the records that a new one is derived from by the ends of their ids', async () => {
    const content = { event_kind: 'chore', outcome: 'success' }
    const captured = await setup.app.request('POST', '/v1/capture', {
      body: { source: 'agent', scope: 'attic', content, summary: 'The cellar was cleaned.' },
    })
    const { id } = (captured.body as { primary_record: { id: string } }).primary_record
    const page = await setup.open('/console/maintenance')
    await choose(page, 'attic', 'consolidate')
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByRole('heading', { name: 'Dry run of consolidate' }).waitFor()
    await work('consolidate')
    await page.getByText(`derived from – → …${id.slice(-8)}`).waitFor()
  })

  it('cancels a run that waits', async () => {
    const page = await setup.open('/console/maintenance')
    await choose(page, 'cellar', 'consolidate')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('status').getByText('cancelled', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('table', { name: 'Runs' }).getByText('cancelled').first().waitFor()
  })

  it('turns the pages of a plan with many changes', async () => {
    await createFaded(
      'hall',
      Array.from({ length: 26 }, (_, index) => `book ${index}`),
    )
    const { id } = await plan(setup.app, 'decay', { scope: 'hall' })
    const page = await setup.open(`/console/maintenance/plans/${id}`)
    await changes(page)
      .getByRole('link', { name: /^Ada likes book/ })
      .nth(24)
      .waitFor()
    const first = await changes(page).getByRole('row').nth(1).textContent()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.waitForURL(/changes=/)
    await expect.poll(() => changes(page).getByRole('row').nth(1).textContent()).not.toBe(first)
    await page.goBack()
    await expect.poll(() => changes(page).getByRole('row').nth(1).textContent()).toBe(first)
  })

  it('shows a key that may only read what ran, and nothing to start', async () => {
    const key = await setup.app.issueKey(['records:read'])
    const { id } = await plan(setup.app, 'decay', { scope: 'study' })
    const page = await setup.open(`/console/maintenance/plans/${id}`, { key })
    await page.getByRole('heading', { name: 'Plan of decay' }).waitFor()
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('table', { name: 'Runs' }).waitFor()
    for (const part of ['Schedules', 'Policies and budgets', 'Simulations', 'Plans']) {
      await page.getByRole('link', { name: part, exact: true }).click()
      await page.locator('table, .state').first().waitFor()
      expect(
        await page.getByRole('button', { name: /Plan|run|Apply|Change|Save|Simulate|Delete|New/ }).count(),
      ).toBe(0)
    }
  })

  it.each(looks)(
    'has no access problem in %s on %i pixels',
    async (colorScheme, width) => {
      const { id } = await plan(setup.app, 'decay', { scope: 'study' })
      const page = await setup.open(`/console/maintenance/plans/${id}`, { colorScheme, width })
      await page.getByRole('heading', { name: 'Plan of decay' }).waitFor()
      for (const part of ['Runs', 'Plans', 'Schedules', 'Policies and budgets', 'Simulations']) {
        expect(await findAccessProblems(page), page.url()).toEqual([])
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        await page.getByRole('link', { name: part, exact: true }).click()
        await page.locator('table, .state').first().waitFor()
      }
      expect(await findAccessProblems(page)).toEqual([])
    },
    90_000,
  )
})
