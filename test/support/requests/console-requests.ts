import type { Page } from 'playwright-core'
import type { TestApp } from '../test-app.ts'

type Created = { id: string }

/** Stores a record and returns its id. */
export async function storeRecord(app: TestApp, record: object): Promise<string> {
  const { body, status, text } = await app.request('POST', '/v1/records', { body: record })
  if (status !== 201) throw new Error(text)
  return (body as Created).id
}

export const fact = (subject: string, predicate: string, object: unknown, more: object = {}) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject, predicate, object },
  ...more,
})

/** Does what a button of the page asks for: gives a reason in its dialog, and waits until the dialog is gone. */
export async function actWithReason(
  page: Page,
  action: string,
  reason = 'a person decided so',
): Promise<void> {
  await page.getByRole('button', { name: action, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: action })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason)
  await dialog.getByRole('button', { name: action, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

/**
 * Adds to each explanation that the page reads from now on. The page does it itself: a route of the browser would load all
 * modules again, past its cache.
 */
export async function changeExplanations(page: Page, more: object): Promise<void> {
  await page.evaluate((added) => {
    const original = globalThis.fetch
    globalThis.fetch = async (address, options) => {
      const response = await original(address, options)
      if (!String(address).split('?', 1)[0]?.endsWith('/explain')) return response
      return Response.json({ ...((await response.json()) as object), ...added })
    }
  }, more)
}

/** Answers what the page reads from these addresses late, as a distant service does. */
export async function delayReads(page: Page, addresses: string): Promise<void> {
  await page.route(addresses, async (route) => {
    if (route.request().method() === 'GET') await new Promise((resolve) => setTimeout(resolve, 500))
    await route.continue()
  })
}
