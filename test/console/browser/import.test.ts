import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  createConsoleSetup,
  describeInBrowser,
  findAccessProblems,
  looks,
  watchErrors,
} from '../../support/browser.ts'
import { splitLines } from '../../support/http/openapi-contract.ts'
import { type Body, create, fact } from '../../support/requests/record-requests.ts'

const lineOf = (subject: string) =>
  JSON.stringify({
    type: 'semantic',
    payload: { kind: 'semantic', subject, predicate: 'likes', object: 'tea' },
  })

const asFile = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
const tallyOf = (page: Page) =>
  page.getByRole('list', { name: 'Summary' }).getByRole('listitem').allTextContents()

describeInBrowser('the page of import and export', () => {
  const setup = createConsoleSetup()

  async function findSubjects(word: string): Promise<string[]> {
    const { body } = await setup.app.request('GET', `/v1/records?q=${word}`)
    return (body as Body).items.map(({ payload }: Body) => payload.subject)
  }

  it('tries a file first, with the reasons of what is refused, and then imports it', async () => {
    const page = await setup.open('/console/import')
    const errors = watchErrors(page)
    const lines = [lineOf('Walrus Ana'), '{"type":"semantic"}', lineOf('Walrus Ben'), 'no JSON']
    expect(await page.getByRole('button', { name: 'Dry run' }).isDisabled()).toBe(true)
    await page.getByLabel('File').setInputFiles(asFile('walrus.ndjson', lines.join('\n')))
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('Dry run of walrus.ndjson').waitFor()
    expect(await tallyOf(page)).toEqual(['2 would be created', '0 unchanged', '0 in conflict', '2 invalid'])
    const refused = page.getByRole('region', { name: 'Refused lines' }).locator('tbody tr')
    expect(await refused.locator('td:first-child').allTextContents()).toEqual(['2', '4'])
    expect(await refused.first().textContent()).toMatch(/payload/)
    expect(await findSubjects('walrus')).toEqual([])
    expect(await findAccessProblems(page)).toEqual([])

    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Imported walrus.ndjson').waitFor()
    expect(await tallyOf(page)).toEqual(['2 created', '0 unchanged', '0 in conflict', '2 invalid'])
    expect((await findSubjects('walrus')).sort()).toEqual(['Walrus Ana', 'Walrus Ben'])
    expect(errors).toEqual([])
  })

  it('shows of a file of another program what would land, and in which scope', async () => {
    const page = await setup.open('/console/import')
    await page.getByLabel('File').setInputFiles('test/portability/fixtures/mem0-python.json')
    await page.getByRole('textbox', { name: 'Scope' }).fill('from-mem0')
    await page.getByRole('button', { name: 'Dry run' }).click()
    const sample = page.getByRole('region', { name: 'Sample of the records' })
    const row = sample.getByRole('row').filter({ hasText: 'Likes hiking in the Alps' })
    await row.waitFor()
    expect(await row.textContent()).toMatch(/from-mem0/)

    await page.getByRole('textbox', { name: 'Scope' }).fill('elsewhere')
    await sample.waitFor({ state: 'detached' })
  })

  it('says what is wrong with a file that it does not know', async () => {
    const page = await setup.open('/console/import')
    await page.getByLabel('File').setInputFiles(asFile('picture.png', '\u0000\u0001'))
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByRole('alert').filter({ hasText: 'shows no known format' }).waitFor()
  })

  it.each(looks)('has no access problem in %s on %i pixels', async (colorScheme, width) => {
    const page = await setup.open('/console/import', { colorScheme, width })
    await page.getByLabel('File').setInputFiles(asFile(`${'long'.repeat(60)}.ndjson`, '{}\n'.repeat(30)))
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByRole('region', { name: 'Refused lines' }).waitFor()
    expect(await findAccessProblems(page)).toEqual([])
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
  })

  it('saves all that the key sees, as a download where the browser cannot write a file', async () => {
    const { id } = await create(setup.app, fact({ scope: 'team-a' }))
    await create(setup.app, fact({ scope: 'team-b' }))
    const page = await setup.open('/console/import')
    await page.evaluate('delete globalThis.showSaveFilePicker')
    await page.getByLabel('Only from').fill('team-a')
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^membrane-.*\.ndjson$/)
    const text = await readFile(await download.path(), 'utf8')
    expect(splitLines(text).map((line) => JSON.parse(line).id)).toEqual([id])
    await page.getByText(/^Saved/).waitFor()
  })

  it('writes to the file that a person chose', async () => {
    const page = await setup.open('/console/import')
    // The dialog of the browser cannot be driven; a file of the browser's own takes the place of the chosen one.
    await page.evaluate(`globalThis.showSaveFilePicker = async () => {
      const folder = await navigator.storage.getDirectory()
      return folder.getFileHandle('chosen', { create: true })
    }`)
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByText(/^Saved/).waitFor()
    const text = await page.evaluate<string>(`navigator.storage.getDirectory()
      .then((folder) => folder.getFileHandle('chosen'))
      .then((handle) => handle.getFile())
      .then((file) => file.text())`)
    const { items } = (await setup.app.request('GET', '/v1/records')).body as Body
    expect(splitLines(text)).toHaveLength(items.length)
  })
})
