import { type Body, create, fact, payloads } from '../requests/record-requests.ts'
import type { TestApp } from '../test-app.ts'

/** Texts of nine megabytes. */
export const buildTexts = (word: string) => Array.from({ length: 90 }, () => word.repeat(99_000))

/** Sends the requests of all pages. */
export async function readPages(app: TestApp, path: string, key?: string): Promise<{ items: Body[] }[]> {
  const pages: { items: Body[] }[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const from: string = cursor === '' ? path : `${path}&cursor=${cursor}`
    const { status, body, text } = await app.request('GET', from, key === undefined ? {} : { key })
    if (status !== 200) throw new Error(text)
    const { items, next_cursor: next } = body as Body
    pages.push({ items })
    cursor = next
  }
  return pages
}

export const countItems = (pages: { items: Body[] }[]) => pages.map(({ items }) => items.length)

export const longScope = 'mine'

/** Creates facts of nine megabytes, and returns their ids. Three are the fewest that do not fit into one page. */
export async function createLongFacts(
  app: TestApp,
  more: object = {},
  subjects: readonly string[] = ['one', 'two', 'three'],
): Promise<string[]> {
  const ids: string[] = []
  for (const subject of subjects) {
    const payload = { ...payloads.semantic, subject, object: ['zebra', ...buildTexts('x')] }
    ids.push((await create(app, fact({ scope: longScope, sensitivity: 'low', payload, ...more }))).id)
  }
  return ids
}
